/** The path of one thing, and of what is below it. */
export const at = (noun: string, id: string, rest = ''): string => `/${noun}/${encodeURIComponent(id)}${rest}`;
