// Worker threads do not inherit the TypeScript loader.
import { register } from 'tsx/esm/api';

register();
await import('./spatial_thread.ts');
