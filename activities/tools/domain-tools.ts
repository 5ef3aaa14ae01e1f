import { z } from 'zod';
import type { Agent } from '../../domain/agent.ts';
import { Failure } from '../../domain/failures.ts';
import type { ToolCall, ToolSchema } from '../../domain/model.ts';
import {
  domainArguments,
  domainNames,
  type OperationOf,
  type ToolDomain,
  unsupported,
} from '../../domain/tool-domains.ts';
import type { NotebookKind } from '../../domain/workspace.ts';
import type { Tool } from './contract.ts';

/** A domain is one tool to the model and one tool an operation to us: each with its own input, rights and effect. */
export interface DomainTools {
  domain: ToolDomain;
  description: string;
  notebooks: readonly NotebookKind[];
  operations: ReadonlyMap<string, Tool>;
}

/** `operations` names a tool for each operation of the domain; they are known as `<domain>.<operation>`. */
export function domainTools<D extends ToolDomain>(
  domain: D,
  made: Pick<DomainTools, 'description' | 'notebooks'> & { operations: Record<OperationOf<D>, Tool> },
): DomainTools {
  const operations: Record<string, Tool> = made.operations;
  const named = Object.entries(operations).map(([operation, tool]): [string, Tool] => [
    operation,
    { ...tool, name: `${domain}.${operation}`, aliases: [] },
  ]);
  return { ...made, domain, operations: new Map(named) };
}

/** A domain as one agent has it: the operations it may use, and no others. */
export interface OfferedDomain {
  names: string[];
  schema: ToolSchema;
  /** Undefined where the call names no operation that the agent may use. */
  find: (args: Record<string, unknown> | undefined) => Tool | undefined;
  /** The tool of the operation and what it is given, or a Failure. */
  resolve: (call: ToolCall) => { tool: Tool; call: ToolCall };
}

const shortSchema = (tool: Tool): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(tool.input, { io: 'input' });
  const named = Object.entries(properties).map(([name, rule]) => {
    const about = typeof rule === 'object' && rule.description ? ` (${rule.description})` : '';
    return `${name}${required.includes(name) ? '' : '?'}${about}`;
  });
  return `{${named.join(', ')}}`;
};

function schemaOf({ domain, description }: DomainTools, operations: Map<string, Tool>): ToolSchema {
  const lines = [...operations].map(([name, tool]) => `- ${name} ${shortSchema(tool)}: ${tool.description}`);
  return {
    name: domain,
    description: [`${description} Operations, each with its args:`, ...lines].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        operation: { type: 'string', enum: [...operations.keys()] },
        args: { type: 'object', description: 'The arguments of the operation' },
      },
      required: ['operation', 'args'],
    },
  };
}

/** Null where the agent has no use for any of it. */
export function offeredDomain(
  tools: DomainTools,
  agent: Agent,
  notebook: NotebookKind | null,
  permits: (tool: Tool) => boolean,
): OfferedDomain | null {
  const { domain } = tools;
  if (notebook === null || !tools.notebooks.includes(notebook)) return null;
  const { system_tools } = agent;
  const isChosen = ({ name }: Tool) =>
    system_tools === null || system_tools.includes(domain) || system_tools.includes(name);
  const allowed = new Map([...tools.operations].filter(([, tool]) => isChosen(tool) && permits(tool)));
  if (allowed.size === 0) return null;
  return {
    names: domainNames(domain),
    schema: schemaOf(tools, allowed),
    find: (args) => allowed.get(domainArguments(args ?? {}).operation),
    resolve: (call) => {
      if (call.malformed !== undefined) {
        throw new Failure('invalid_arguments', `The arguments of ${call.name} are not a JSON object.`, {
          received: call.malformed.slice(0, 500),
        });
      }
      const { operation, args } = domainArguments(call.arguments);
      if (operation === '') {
        throw new Failure('invalid_arguments', `The call of ${call.name} names no operation.`, {
          operations: [...allowed.keys()],
        });
      }
      const refused = unsupported(domain, operation);
      if (refused) throw refused;
      const tool = allowed.get(operation);
      if (!tool) {
        throw new Failure('scope_violation', `${agent.name} may not use the operation ${operation} of ${domain}.`, {
          scope_violation: true,
          operations: [...allowed.keys()],
        });
      }
      return { tool, call: { ...call, name: tool.name, arguments: args } };
    },
  };
}
