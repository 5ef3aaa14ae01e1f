import { HOOK_HEADERS, SIGNATURE_VERSION } from '../domain/event.ts';

/** Lines for a terminal that sign and send an event; the secret is the reader's to put in. */
export const hookExample = (url: string, secret = '$SECRET'): string =>
  [
    `SECRET='${secret === '$SECRET' ? 'the secret of the webhook' : secret}'`,
    `BODY='{"ticket": {"id": 42}}'`,
    'NOW=$(date +%s)',
    `SIGNATURE=$(printf '%s.%s' "$NOW" "$BODY" | openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.* //')`,
    `curl -X POST '${url}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H "${HOOK_HEADERS.timestamp}: $NOW" \\`,
    `  -H "${HOOK_HEADERS.signature}: ${SIGNATURE_VERSION}=$SIGNATURE" \\`,
    `  -H "${HOOK_HEADERS.delivery}: example-$NOW" \\`,
    '  -d "$BODY"',
  ].join('\n');
