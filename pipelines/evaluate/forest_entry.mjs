// Worker threads start from plain JavaScript: Node 20 does not apply a TypeScript loader to the entry file of a thread.
import { register } from 'tsx/esm/api';

register();
await import('./forest_thread.ts');
