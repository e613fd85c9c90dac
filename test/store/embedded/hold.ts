// A command that holds the embedded server of a folder until it is killed, or until its input closes.
import { startEmbedded } from '../../../store/embedded/server.ts';

const [dataDir, nativeDir] = process.argv.slice(2);
const server = await startEmbedded({ dataDir: dataDir!, ...(nativeDir ? { nativeDir } : {}) }).catch(
  (error: { code?: string; message: string }) => {
    console.log(`error ${error.code} ${error.message}`);
    process.exit(1);
  },
);
console.log(`ready ${server.connectionString}`);
process.stdin.on('end', async () => {
  await server.release();
  process.exit(0);
});
process.stdin.resume();
