import { type AuditLine, auditLineSchema } from '../domain/audit.ts';

const COLUMNS = auditLineSchema.keyof().options;

/** What a spreadsheet would take for a formula and run; after an apostrophe it is text. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: AuditLine[keyof AuditLine]): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const record = (cells: string[]): string => `${cells.join(',')}\r\n`;

interface ExportFormat {
  type: string;
  begin: string;
  row: (line: AuditLine) => string;
}

export const EXPORTS: Record<'ndjson' | 'csv', ExportFormat> = {
  ndjson: { type: 'application/x-ndjson; charset=utf-8', begin: '', row: (line) => `${JSON.stringify(line)}\n` },
  csv: {
    type: 'text/csv; charset=utf-8',
    begin: record(COLUMNS),
    row: (line) => record(COLUMNS.map((name) => cell(line[name]))),
  },
};
