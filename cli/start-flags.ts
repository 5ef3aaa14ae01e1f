/** As commander takes them: flags and what they mean. */
export const START_FLAGS: readonly (readonly [flags: string, meaning: string])[] = [
  ['-p, --port <number>', 'port of the web page and the API, 0 for any (PORT; 7400)'],
  ['--host <address>', 'address to listen on (HOST; 127.0.0.1)'],
  ['--home <directory>', 'where all data lies (LONGHAUL_HOME; ~/.longhaul)'],
  ['--workers <number>', 'worker processes (1)'],
  ['--api <number>', 'API processes, on consecutive ports (1)'],
  ['--no-demo', 'do not run the demo model'],
];
