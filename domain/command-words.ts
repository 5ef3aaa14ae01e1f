import { domainArguments, domainNamed } from './tool-domains.ts';

export interface CommandWords {
  operation: 'run' | 'test';
  /** As somebody would type it; empty where the tests are found out about. */
  command: string;
}

/** What a call of the domain `command` runs; null for any other call. */
export function commandWords(name: string, given: Record<string, unknown>): CommandWords | null {
  const [base = '', named] = domainNamed(name) === 'command' ? ['command'] : name.split('.');
  if (base !== 'command') return null;
  const { operation, args } = domainArguments(given);
  const { command, cmd, argv } = args;
  const text = command ?? cmd ?? (Array.isArray(argv) ? argv.join(' ') : '');
  return { operation: (named ?? operation) === 'test' ? 'test' : 'run', command: typeof text === 'string' ? text : '' };
}
