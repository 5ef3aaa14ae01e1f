import { ExpressionProblem } from './expression.ts';
import { Failure, isFailure } from './failures.ts';

/** Of a definition that is to be saved: what is wrong, at its field. */
export const refuseField = (field: string, said: string): never => {
  throw new Failure('invalid_request', `${field}: ${said}`, { in: 'body', fields: { [field]: said } });
};

/** Says of which field a check speaks that knows none. */
export function aboutField(field: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (isFailure(error) && error.details.fields !== undefined) throw error;
    const isWrong = isFailure(error) || error instanceof ExpressionProblem || error instanceof SyntaxError;
    if (isWrong) refuseField(field, error.message);
    throw error;
  }
}
