#!/usr/bin/env node
import { importProgram } from '../loader/import_program.mjs';

await importProgram('cli/main.ts').catch((error) => {
  // An installed npm package has all its dependencies. A checkout installs them with its scripts.
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/^Cannot find package 'tsx'/.test(error.message)) throw error;
  console.error('error: the dependencies are not installed; run npm run setup.');
  process.exitCode = 1;
});
