import { Failure, type FailureCode, type RunError } from './failures.ts';
import { isRecord } from './json-value.ts';
import type { ToolCall } from './model.ts';

/**
 * Work on a checkout goes through three domains. Each is one tool to a model, called with an operation and its
 * arguments; whatever a provider makes of that, it is recorded in one form.
 */
export const TOOL_DOMAINS = {
  workspace: ['list', 'read', 'write', 'search', 'apply_patch', 'move', 'delete'],
  git: ['status', 'diff', 'branch', 'commit', 'push', 'log', 'open_pr'],
  command: ['run', 'test'],
} as const;

export type ToolDomain = keyof typeof TOOL_DOMAINS;
export type OperationOf<D extends ToolDomain> = (typeof TOOL_DOMAINS)[D][number];

const isDomain = (name: string): name is ToolDomain => Object.hasOwn(TOOL_DOMAINS, name);

/** `git.push`: how one operation is named in policies and lists of tools. */
export function isDomainOperation(name: string): boolean {
  const [domain = '', operation = ''] = name.split('.');
  return isDomain(domain) && (TOOL_DOMAINS[domain] as readonly string[]).includes(operation);
}

/** A call of a domain as it is recorded and shown. */
export interface DomainCall {
  call_id: string;
  tool_name: `deterministic.${string}`;
  domain: string;
  operation: string;
  args: Record<string, unknown>;
}

/** The domain that a wire name means, known or not; null for the name of any other tool. */
export function domainNamed(name: string): string | null {
  if (isDomain(name)) return name;
  return /^deterministic[._](.+)$/.exec(name)?.[1] ?? null;
}

export const domainNames = (domain: ToolDomain): string[] => [
  domain,
  `deterministic.${domain}`,
  `deterministic_${domain}`,
];

/** As models spell it: `Open-PR` is `open_pr`. */
const operationIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_')
    : '';

/** Some models put the arguments beside the operation instead of into `args`. */
export function domainArguments(given: Record<string, unknown>): Pick<DomainCall, 'operation' | 'args'> {
  const { operation, args, ...beside } = given;
  return { operation: operationIn(operation), args: isRecord(args) ? { ...beside, ...args } : beside };
}

/** Null for a call of anything but one of the domains there are. */
export function domainCall(call: Pick<ToolCall, 'tool_call_id' | 'name' | 'arguments'>): DomainCall | null {
  const domain = domainNamed(call.name);
  if (domain === null || !isDomain(domain)) return null;
  const { operation, args } = domainArguments(call.arguments);
  return { call_id: call.tool_call_id, tool_name: `deterministic.${domain}`, domain, operation, args };
}

/** What cannot be done by anybody: neither names nor operations are made up as one goes. */
export function unsupported(domain: string, operation: string | null): Failure | null {
  if (!isDomain(domain)) {
    return new Failure('unsupported_domain', `There is no tool domain ${domain}.`, {
      domain,
      domains: Object.keys(TOOL_DOMAINS),
    });
  }
  const operations: readonly string[] = TOOL_DOMAINS[domain];
  if (operation === null || operations.includes(operation)) return null;
  return new Failure('unsupported_operation', `The domain ${domain} has no operation ${operation}.`, {
    domain,
    operation,
    operations,
  });
}

const ENDS_RUN: ReadonlySet<FailureCode> = new Set(['unsupported_domain', 'unsupported_operation']);

/** A run whose model asks for what this system does not have is not guessed on with: it ends there. */
export const endsRun = (error: RunError | null | undefined): boolean => !!error && ENDS_RUN.has(error.code);

/** What went wrong inside of a run, with what finds it again in the logs. */
export interface ErrorEnvelope extends RunError {
  request_id: string;
  correlation_id: string;
}

/** `git.push` is allowed or asked about by itself, or as part of `git`. */
export function policyNames(tool: string): string[] {
  const [domain = ''] = tool.split('.');
  return domain !== tool && isDomain(domain) ? [tool, domain] : [tool];
}
