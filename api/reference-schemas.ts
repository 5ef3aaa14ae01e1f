import type { JsonSchema, OpenApiDocument } from './openapi.ts';

/** JSON Schema as people read it. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

export const isRef = (schema: JsonSchema): schema is JsonSchema & { $ref: string } => typeof schema.$ref === 'string';

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

const asSchema = (schema: JsonSchema | boolean | undefined): JsonSchema => (typeof schema === 'object' ? schema : {});

/** One phrase, with a link where the type has a name. */
export function typeOf(schema: JsonSchema): string {
  if (isRef(schema)) return `<a href="#schema-${nameOf(schema.$ref)}">${escapeHtml(nameOf(schema.$ref))}</a>`;
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (variants) return variants.map((variant) => typeOf(asSchema(variant))).join(' or ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) {
    const values = schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`);
    return (
      values.join(' ') +
      escapeHtml(
        boundsOf(schema)
          .map((bound) => `, ${bound}`)
          .join(''),
      )
    );
  }
  if (schema.type === 'array') {
    const items = Array.isArray(schema.items) ? schema.items[0] : schema.items;
    return `list of ${typeOf(asSchema(items))}`;
  }
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  const pattern = schema.pattern === undefined ? '' : ` <code>${escapeHtml(schema.pattern)}</code>`;
  return escapeHtml([schema.format ?? type, ...boundsOf(schema)].join(', ')) + pattern;
}

function boundsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, minLength, maxLength, default: given } = schema;
  return [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [minLength === 1 ? 'not empty' : `at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(given === undefined ? [] : [`default ${JSON.stringify(given)}`]),
  ];
}

export function schemaTable(schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return `<p>${typeOf(schema)}</p>`;
  return `<div class="wide"><table><tbody>${rows.join('')}</tbody></table></div>`;
}

function rowsOf(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const inner = asSchema(property);
    const required = schema.required?.includes(name) ? 'required' : '';
    const row = `<tr><th scope="row"><code>${escapeHtml(prefix + name)}</code></th><td>${required}</td><td>${typeOf(inner)}</td></tr>`;
    return [row, ...rowsOf(inner, `${prefix}${name}.`)];
  });
}

/** The least that would be accepted: required fields only. */
export function exampleOf(document: OpenApiDocument, schema: JsonSchema): unknown {
  if (isRef(schema)) return exampleOf(document, document.components.schemas[nameOf(schema.$ref)] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          name in NAMED ? NAMED[name] : exampleOf(document, asSchema(schema.properties?.[name])),
        ]),
      );
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return schema.format === 'email' ? 'you@example.org' : '…';
    default:
      return '…';
  }
}

const NAMED: Record<string, unknown> = {
  name: 'My assistant',
  model: 'demo/longhaul-demo',
  path: '/srv/notes',
  input: 'What is in this notebook?',
  content: 'Keep it short.',
};
