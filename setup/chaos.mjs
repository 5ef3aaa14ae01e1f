// npm run chaos -- --seed N --minutes M
import { runProgram } from './prepare.mjs';

await runProgram('bench/chaos/main.js');
