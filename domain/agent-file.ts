import { z } from 'zod';
import { type Agent, type CreateAgent, changeAgentBody, createAgentBody, type Scope } from './agent.ts';
import { Failure } from './failures.ts';
import { isSameValue } from './json-value.ts';
import { ALL } from './word-lists.ts';
import { readYaml, writeYaml, type YamlText } from './yaml-text.ts';

/**
 * The portable part of an agent: what it is told, may do and may use, with everything it refers to by name. What ties it
 * to an installation (workspace, who sees it, notebooks, another model, credentials) is said when it is imported.
 */
const slug = createAgentBody.shape.slug.unwrap();
const jsonSchema = z.record(z.string(), z.unknown());
const delegateSchema = z.union([
  slug,
  z.strictObject({ agent: slug, input_schema: jsonSchema.optional(), output_schema: jsonSchema.optional() }),
]);

const names = z.array(z.string().min(1).max(200)).max(1000).default([]);

const fileSchema = createAgentBody
  .omit({ workspace_id: true, visibility: true, access_level: true, roles: true })
  .extend({
    model: createAgentBody.shape.model.optional(),
    knowledge_sources: names,
    grants: createAgentBody.shape.grants
      .unwrap()
      .unwrap()
      .extend({ knowledge_sources: names })
      .nullable()
      .default(null),
    delegated_agents: z.array(delegateSchema).max(50).default([]),
  });
type AgentFile = z.infer<typeof fileSchema>;

const ids = z.string().min(1).max(100);
/** All of them by id, or those the file names by name. */
const boundTo = z.union([z.array(ids).max(1000), z.record(z.string().max(200), ids)]);

export const bindingSchema = z.strictObject({
  ...changeAgentBody.pick({
    name: true,
    slug: true,
    model: true,
    local_model: true,
    remote_model: true,
    max_iterations: true,
    max_token_budget: true,
    max_cost_usd: true,
    max_duration: true,
    max_requests_per_hour: true,
    max_tokens_per_request: true,
    visibility: true,
    access_level: true,
    roles: true,
  }).shape,
  /** Another word for `model`. */
  llm_model: changeAgentBody.shape.model,
  notebooks: boundTo.optional(),
  knowledge_sources: boundTo.optional(),
  delegated_agents: z.record(z.string().max(200), ids).optional(),
});
export type AgentBinding = z.infer<typeof bindingSchema>;

type Kind = 'notebooks' | 'knowledge_sources' | 'delegated_agents';
type Names = Record<Kind, { id: string; name: string }[]>;

interface Problem {
  path: PropertyKey[];
  message: string;
}

/** Named by field and by line, so that whoever wrote the file finds the place. */
function refusal(text: YamlText, problems: Problem[]): Failure {
  const named = problems.map(({ path, message }) => ({
    field: path.join('.') || 'yaml',
    line: text.lineOf(path),
    message,
  }));
  const said = named.map(({ field, line, message }) => `${line === null ? '' : `line ${line}: `}${field}: ${message}`);
  return new Failure('invalid_request', `The file is not an agent (${said.slice(0, 5).join('; ')}).`, {
    in: 'yaml',
    // Through maps, since a field may be called __proto__.
    fields: Object.fromEntries(new Map(named.map(({ field, message }) => [field, message]))),
    lines: Object.fromEntries(new Map(named.map(({ field, line }) => [field, line]))),
  });
}

const problemsOf = (issues: z.core.$ZodIssue[]): Problem[] =>
  issues.flatMap((issue): Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
      : [{ path: issue.path, message: issue.message }],
  );

/** A file as it was read, and what it takes to make an agent of it. */
export class ReadAgentFile {
  private constructor(
    private readonly text: YamlText,
    readonly file: AgentFile,
  ) {}

  static of(yaml: string): ReadAgentFile {
    const text = readYaml(yaml);
    const [first] = text.problems;
    if (first) {
      const where = first.line === null ? '' : `line ${first.line}: `;
      throw new Failure('invalid_request', `The file is not YAML (${where}${first.message}).`, {
        in: 'yaml',
        fields: { yaml: first.message },
        lines: { yaml: first.line },
      });
    }
    const parsed = fileSchema.safeParse(text.value);
    if (!parsed.success) throw refusal(text, problemsOf(parsed.error.issues));
    return new ReadAgentFile(text, parsed.data);
  }

  /** What somebody else found wrong with a field, with the line it stands in. */
  located(failure: Failure): Failure {
    const { fields } = failure.details;
    if (typeof fields !== 'object' || fields === null) return failure;
    const problems = Object.entries(fields).map(([field, message]) => ({
      path: field.split('.'),
      message: String(message),
    }));
    const { details, message } = refusal(this.text, problems);
    return new Failure(failure.code, message, { ...failure.details, ...details }, { cause: failure });
  }

  /** What has to be looked up by name. */
  names(): Record<Kind, string[]> {
    const { scope, grants, knowledge_sources, delegated_agents } = this.file;
    return {
      notebooks: [...(scope.notebooks ?? []), ...(grants?.scope.notebooks ?? [])],
      knowledge_sources: [...knowledge_sources, ...(grants?.knowledge_sources ?? [])],
      delegated_agents: delegated_agents.map((entry) => (typeof entry === 'string' ? entry : entry.agent)),
    };
  }

  /** The agent it is in one place: with names as ids, and what is different there. */
  bound(binding: AgentBinding, found: Names): Omit<CreateAgent, 'workspace_id'> {
    const { notebooks, knowledge_sources, delegated_agents, llm_model, ...changed } = binding;
    const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    const { file } = this;
    const problems: Problem[] = [];
    const idOf = (kind: Kind, name: string, path: PropertyKey[]): string => {
      const bound = binding[kind];
      const said = bound && !Array.isArray(bound) && Object.hasOwn(bound, name) ? bound[name] : undefined;
      if (said !== undefined || (name === ALL && kind !== 'delegated_agents')) return said ?? name;
      const matches = found[kind].filter((each) => each.name === name);
      const [match, ...more] = matches;
      if (match && more.length === 0) return match.id;
      const why = match ? 'several are called' : 'the workspace has nothing called';
      problems.push({ path, message: `${why} ${name}; say which is meant in the binding (${kind})` });
      return name;
    };
    const scopeOf = (scope: Scope, path: PropertyKey[]): Scope =>
      Array.isArray(notebooks)
        ? { ...scope, notebooks }
        : {
            ...scope,
            ...(scope.notebooks && {
              notebooks: scope.notebooks.map((name, n) => idOf('notebooks', name, [...path, 'notebooks', n])),
            }),
          };
    const sourcesOf = (sources: string[], path: PropertyKey[]): string[] =>
      Array.isArray(knowledge_sources)
        ? knowledge_sources
        : sources.map((name, n) => idOf('knowledge_sources', name, [...path, n]));
    const model = binding.model ?? llm_model ?? file.model;
    if (model === undefined) problems.push({ path: ['model'], message: 'neither the file nor the binding names one' });
    const definition = {
      ...file,
      model: model ?? '',
      scope: scopeOf(file.scope, ['scope']),
      grants: file.grants && {
        ...file.grants,
        scope: scopeOf(file.grants.scope, ['grants', 'scope']),
        knowledge_sources: sourcesOf(file.grants.knowledge_sources, ['grants', 'knowledge_sources']),
      },
      knowledge_sources: sourcesOf(file.knowledge_sources, ['knowledge_sources']),
      delegated_agents: file.delegated_agents.map((entry, n) => {
        const { agent, ...schemas } = typeof entry === 'string' ? { agent: entry } : entry;
        return { agent_id: idOf('delegated_agents', agent, ['delegated_agents', n]), ...schemas };
      }),
    };
    if (problems.length > 0) throw refusal(this.text, problems);
    // A provider is that of the file's model: with another one it says nothing.
    const provider = model === file.model ? file.provider : undefined;
    return {
      visibility: 'personal',
      access_level: 'everyone',
      roles: [],
      ...definition,
      ...given,
      model: model ?? '',
      provider,
    };
  }
}

const HEAD = ['An agent, as a file: `longhaul agents import` makes one of it.'];

/** Everything that is not as in any new agent, with names in place of ids; secrets are no part of a definition. */
export function writeAgentFile(agent: Agent, names: Names): string {
  let unnamed = 0;
  const nameOf = (kind: Kind, id: string): string[] => {
    if (id === ALL && kind !== 'delegated_agents') return [id];
    const name = names[kind].find((each) => each.id === id)?.name;
    // Something that is called like the word for all would be read as all of them.
    if (name !== undefined && name !== ALL) return [name];
    unnamed += 1;
    return [];
  };
  const scopeOf = ({ notebooks, ...rest }: Scope): Scope => ({
    ...(notebooks && { notebooks: notebooks.flatMap((id) => nameOf('notebooks', id)) }),
    ...rest,
  });
  const sourcesOf = (sources: string[]): string[] => sources.flatMap((id) => nameOf('knowledge_sources', id));
  const plain: Record<string, unknown> = fileSchema.parse({ name: agent.name });
  const { delegated_agents, knowledge_sources, scope, grants, ...rest } = agent;
  const portable: Record<string, unknown> = {
    ...rest,
    max_iterations: agent.max_iterations_set ? agent.max_iterations : undefined,
    scope: scopeOf(scope),
    grants: grants && {
      ...grants,
      scope: scopeOf(grants.scope),
      knowledge_sources: sourcesOf(grants.knowledge_sources),
    },
    knowledge_sources: sourcesOf(knowledge_sources),
    delegated_agents: delegated_agents.flatMap(({ agent_id, ...schemas }) =>
      nameOf('delegated_agents', agent_id).map((name) =>
        Object.keys(schemas).length === 0 ? name : { agent: name, ...schemas },
      ),
    ),
  };
  const fields = Object.keys(fileSchema.shape).filter(
    (field) => field !== 'provider' && (field === 'name' || !isSameValue(portable[field], plain[field])),
  );
  const yaml = writeYaml(Object.fromEntries(fields.map((field) => [field, portable[field]])));
  const left =
    unnamed === 0 ? [] : [`Left out: ${unnamed} of what it refers to, which you cannot see or which is gone.`];
  return [...HEAD, ...left].map((line) => `# ${line}\n`).join('') + yaml;
}
