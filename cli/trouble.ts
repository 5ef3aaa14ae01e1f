import { isApiError } from '../sdk/api-error.ts';

/** Something the person at the terminal can do something about. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
  constructor(
    message: string,
    readonly advice = '',
  ) {
    super(message);
  }
}

/** What happened, what to do, and the request id where there is one. */
export function troubleLines(error: unknown): string[] {
  if (error instanceof Trouble) return [error.message, ...(error.advice === '' ? [] : [error.advice])];
  if (!isApiError(error)) return [error instanceof Error ? error.message : String(error)];
  const { code, message, request_id } = error;
  const request = request_id === null ? [] : [`Request id: ${request_id}`];
  switch (code) {
    case 'unreachable':
      return [message, 'Start Longhaul with `npm start`; `longhaul doctor` says what is missing.'];
    case 'unauthenticated':
      return [
        'The API key was refused.',
        'Set LONGHAUL_API_KEY to a key that is valid; the next `npm start` gives the one on this machine anew.',
        ...request,
      ];
    default:
      return [message, ...request];
  }
}
