import { isDomainOperation } from './tool-domains.ts';

/**
 * The tools there are without any definition, by name: what `system_tools` of an agent may list. Of the tool domains
 * one operation may be listed as well, such as `git.diff`. Two are known by name alone so far, so that files of agents
 * that list them can be taken over.
 */
export const SYSTEM_TOOLS = [
  'read_file',
  'list_files',
  'search_project',
  'get_file_metadata',
  'write_file',
  'create_file',
  'delete_file',
  'update_file_properties',
  'read_result',
  'search_knowledge',
  'clarify_user',
  'propose_edits',
  'execute_workflow',
  'workspace',
  'git',
  'command',
] as const;

export const isSystemTool = (name: string): boolean =>
  (SYSTEM_TOOLS as readonly string[]).includes(name) || isDomainOperation(name);
