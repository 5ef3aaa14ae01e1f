import manifest from '../package.json' with { type: 'json' };
import { buildProgram } from './program.ts';
import { styleFor } from './style.ts';
import { troubleLines } from './trouble.ts';

// A reader that has seen enough (`| head`) closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await buildProgram(manifest.version).parseAsync();
} catch (error) {
  const [first = 'It failed.', ...rest] = troubleLines(error);
  process.stderr.write(`${[styleFor(process.stderr)('red', first), ...rest].join('\n')}\n`);
  process.exitCode = 1;
}
