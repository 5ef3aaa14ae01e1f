import type { OpenApiDocument, Operation } from './openapi.ts';
import { escapeHtml, exampleOf, isRef, schemaTable, typeOf } from './reference-schemas.ts';
import { STYLE } from './reference-style.ts';

/** The OpenAPI document as a page to read: made once, static, without scripts and without anything from elsewhere. */
export function referencePage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const base = document.servers[0]?.url ?? '';

  const menu = groups
    .map(
      (group) =>
        `<h2>${escapeHtml(group.name)}</h2><ul>${group.operations
          .map(
            ({ path, method, operation }) =>
              `<li><a href="#${operation.operationId}">${chip(method)}<span>${escapeHtml(path)}</span></a></li>`,
          )
          .join('')}</ul>`,
    )
    .join('');
  const body = groups
    .map(
      (group) =>
        `<h2 class="tag">${escapeHtml(group.name)}</h2>${group.operations
          .map(({ path, method, operation }) =>
            section(document, operation.servers ? '' : base, path, method, operation),
          )
          .join('')}`,
    )
    .join('');
  const schemas = Object.entries(document.components.schemas)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([name, schema]) =>
        `<details class="schema"><summary><code>${escapeHtml(name)}</code></summary><div id="schema-${escapeHtml(name)}">${schemaTable(schema)}</div></details>`,
    )
    .join('');

  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Longhaul API</title><link rel="icon" href="/favicon.svg">
<style>${STYLE}</style></head>
<body><nav aria-label="Operations"><a class="brand" href="/">Longhaul</a><p><a href="${base}/openapi.json">openapi.json</a></p>${menu}
<h2>More</h2><ul><li><a href="#schemas">Schemas</a></li></ul></nav>
<main><h1>Longhaul API</h1><p>${ticks(document.info.description)}</p>${body}
<h2 class="tag" id="schemas">Schemas</h2>${schemas}</main></body></html>`;
}

const chip = (method: string): string => `<b class="method ${method}">${method.toUpperCase()}</b>`;
const ticks = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function section(document: OpenApiDocument, base: string, path: string, method: string, operation: Operation): string {
  const taken = operation.requestBody?.content['application/json']?.schema;
  const parameters = (operation.parameters ?? [])
    .map(
      ({ name, in: place, required, schema, description }) =>
        `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${place}${required ? ', required' : ''}</td><td>${typeOf(schema)}${description ? `. ${escapeHtml(description)}` : ''}</td></tr>`,
    )
    .join('');
  const replies = Object.entries(operation.responses)
    .map(([status, { description, content }]) => {
      const types = Object.entries(content ?? {}).map(
        ([type, { schema }]) =>
          `${typeOf(schema)}${type === 'application/json' ? '' : ` as <code>${escapeHtml(type)}</code>`}`,
      );
      const label = status === 'default' ? 'error' : status;
      return `<tr><th scope="row"><code>${label}</code></th><td>${escapeHtml(description)}</td><td>${types.join(' or ') || '–'}</td></tr>`;
    })
    .join('');
  return `<section id="${operation.operationId}"><h3>${chip(method)}<code>${escapeHtml(base + path)}</code></h3>
<p>${escapeHtml(operation.summary)}.${operation.security ? ' Needs no token.' : ''}</p>
${parameters ? `<h4>Parameters</h4><div class="wide"><table><tbody>${parameters}</tbody></table></div>` : ''}
${taken ? `<h4>Body</h4>${schemaTable(isRef(taken) ? resolve(document, taken.$ref) : taken)}` : ''}
<h4>Replies</h4><div class="wide"><table><tbody>${replies}</tbody></table></div>
<pre tabindex="0"><code>${escapeHtml(curlOf(document, base, path, method, operation))}</code></pre></section>`;
}

const resolve = (document: OpenApiDocument, ref: string) =>
  document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)] ?? {};

function curlOf(document: OpenApiDocument, base: string, path: string, method: string, operation: Operation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => `$${name.toUpperCase()}`);
  const taken = operation.requestBody?.content['application/json']?.schema;
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$LONGHAUL_URL${base}${filled}"`,
    ...(operation.security ? [] : ['-H "Authorization: Bearer $LONGHAUL_KEY"']),
    ...(operation.parameters ?? [])
      .filter(({ in: place, required }) => place === 'header' && required)
      .map(({ name }) => `-H "${name}: $${name.replace(/^.*-/, '').toUpperCase()}"`),
    ...(taken
      ? [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(exampleOf(document, taken)).replaceAll("'", "'\\''")}'`,
        ]
      : []),
  ];
  return lines.join(' \\\n  ');
}
