/**
 * What a thinking model wants to see again with its calls. It is worth something to the model that gave it alone: a
 * run may go on with another one, which would refuse it.
 */
export const signed = (model: string, signature: string): string => `${model} ${signature}`;

export const signatureFor = (model: string, signature: string | undefined): string | undefined =>
  signature?.startsWith(`${model} `) ? signature.slice(model.length + 1) : undefined;
