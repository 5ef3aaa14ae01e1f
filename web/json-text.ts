/** How JSON begins; `{{` begins an expression, and words may stand in brackets. */
const JSON_BEGINS = /^\{(?!\{)|^\[\s*(?:[[{"\]\d-]|true|false|null)|^"|^(?:true|false|null|-?\d+(?:\.\d+)?)$/;

/** What people type where any value will do: JSON where it is some, else the text as it stands. Empty is nothing. */
export function typedValue(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (!JSON_BEGINS.test(trimmed)) return text;
  return JSON.parse(trimmed);
}

/** Why it cannot be taken as it is; null where it can. */
export function typedProblem(text: string): string | null {
  try {
    typedValue(text);
    return null;
  } catch (error) {
    return `This begins like JSON, and is none: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The same the other way round. */
export function asTyped(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string' && typedProblem(value) === null && typedValue(value) === value) return value;
  return JSON.stringify(value, null, 2);
}
