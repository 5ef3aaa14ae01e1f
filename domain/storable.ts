/** The store holds documents to a nesting of 100, and content lies a few levels deep in them. */
const MAX_DEPTH = 60;

/** Why no document of the store can hold a value that is sound JSON; null where it can. */
export function storageProblem(value: unknown, depth = 0): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
  for (const [name, inner] of Object.entries(value)) {
    const problem = name.includes('\0') ? 'U+0000 in a name' : storageProblem(inner, depth + 1);
    if (problem) return problem;
  }
  return null;
}
