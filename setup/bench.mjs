// npm run bench -- <name> …
import { runProgram } from './prepare.mjs';

await runProgram('bench/main.js');
