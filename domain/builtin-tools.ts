import type { ToolSchema } from './model.ts';

/**
 * The tools that come with the product, as models see them: what lists and forms show without knowing how they work.
 * Written from activities/tools by `LONGHAUL_RECORD=1 npm test -- test/activities/builtin-tools`.
 */
export const BUILTIN_TOOLS: ToolSchema[] = [
  {
    name: 'read_file',
    description:
      'Read a text file of the notebook, or a range of its lines (at most 800 lines or 65536 bytes at a time).',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path from the notebook root' },
        start_line: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
        end_line: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
        max_bytes: { type: 'integer', minimum: 1, maximum: 1048576 },
      },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'list_files',
    description: 'List the files below a folder of the notebook, optionally only those that match a glob pattern.',
    parameters: {
      type: 'object',
      properties: {
        path: { default: '/', description: 'Folder, from the notebook root', type: 'string' },
        pattern: { description: 'Glob, such as **/*.md', type: 'string', maxLength: 500 },
      },
      additionalProperties: false,
    },
  },
  {
    name: 'search_project',
    description:
      'Search the text of all files of the notebook, but hidden ones and those that .gitignore or .ignore name; gives paths, line numbers and snippets.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1000 },
        glob: { type: 'string', maxLength: 500 },
        limit: {
          description: 'Hits at most; 20 unless given, and never more than 50',
          type: 'integer',
          minimum: 1,
          maximum: 1000,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'get_file_metadata',
    description:
      'What is known of a file of the notebook without its text: size, time of the last change, number of lines, hash, frontmatter.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, description: 'Path from the notebook root' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'read_result',
    description: 'Read on in the result of an earlier tool call that was cut because it is long.',
    parameters: {
      type: 'object',
      properties: {
        call_id: { type: 'string', minLength: 1, description: 'The call whose result it is' },
        offset: {
          default: 0,
          description: 'Character to begin at',
          type: 'integer',
          minimum: 0,
          maximum: 9007199254740991,
        },
      },
      required: ['call_id'],
      additionalProperties: false,
    },
  },
  {
    name: 'write_file',
    description:
      'Write the whole content of a file of the notebook; makes it where it does not exist. A person may have to allow it.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path from the notebook root' },
        content: { type: 'string', description: 'The new content, whole' },
        properties: {
          description: 'Frontmatter to set in the content; null removes a property',
          type: 'object',
          properties: {},
          additionalProperties: {},
        },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
  },
  {
    name: 'create_file',
    description:
      'Make a new file of the notebook; fails where there is one. A template is a file in /templates or /.templates of the notebook, by its name, or one of note, meeting, experiment; {{title}} in it becomes the name of the file, {{content}} the content (which otherwise follows at the end). A person may have to allow it.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path from the notebook root' },
        content: { default: '', description: 'The content, whole; empty unless given', type: 'string' },
        template: { description: 'Name of a template', type: 'string', minLength: 1, maxLength: 100 },
      },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'delete_file',
    description: 'Delete a file of the notebook. A person may have to allow it.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, description: 'Path from the notebook root' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  {
    name: 'update_file_properties',
    description:
      'Set properties in the frontmatter of a file of the notebook; those not named, comments and the text stay as they are. A person may have to allow it.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Path from the notebook root' },
        properties: {
          type: 'object',
          properties: {},
          additionalProperties: {},
          description: 'Names and their new values; null removes a property',
        },
      },
      required: ['path', 'properties'],
      additionalProperties: false,
    },
  },
  {
    name: 'search_knowledge',
    description:
      'Search the uploaded documents of the workspace; gives the best passages with source, lines and score.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1000 },
        limit: { default: 10, type: 'integer', minimum: 1, maximum: 50 },
      },
      required: ['query'],
      additionalProperties: false,
    },
  },
  {
    name: 'clarify_user',
    description:
      'Ask the user one question and wait for the answer. Use it when the task cannot be done well without it.',
    parameters: {
      type: 'object',
      properties: { question: { type: 'string', minLength: 1, maxLength: 10000 } },
      required: ['question'],
      additionalProperties: false,
    },
  },
  {
    name: 'propose_edits',
    description:
      'Propose edits to files of the notebook, all of them in one call. A person reviews each and applies what is accepted; nothing is written before. Edits name lines of the files as they are now and must not overlap. To make a new file, insert at line 1 of a path that does not exist. Keep edits focused: each becomes a decision for the reviewer.',
    parameters: {
      type: 'object',
      properties: {
        edits: {
          minItems: 1,
          maxItems: 10000,
          type: 'array',
          items: {
            type: 'object',
            properties: {
              edit_id: { type: 'string', minLength: 1, maxLength: 200 },
              file_path: { type: 'string', minLength: 1, maxLength: 2048, description: 'Path from the notebook root' },
              operation: { type: 'string', enum: ['replace', 'insert', 'delete'] },
              start_line: {
                type: 'integer',
                minimum: 1,
                maximum: 9007199254740991,
                description: 'First line, from 1; an insert goes before it (one past the last line: at the end)',
              },
              end_line: {
                description: 'Last line, included; not for an insert',
                type: 'integer',
                minimum: 1,
                maximum: 9007199254740991,
              },
              new_text: { default: '', description: 'Whole lines; empty for a delete', type: 'string' },
              expected_text: {
                description: 'The lines that are there now, word for word; or else expected_hash',
                type: 'string',
              },
              expected_hash: {
                description:
                  'sha256:… over the bytes of those lines with their ends; for an insert, of the line at start_line. One that does not fit stops the job until a person lets it go on: rather quote the lines',
                type: 'string',
                maxLength: 100,
              },
              rationale: { description: 'Why, in a few words, for the reviewer', type: 'string', maxLength: 10000 },
            },
            required: ['file_path', 'operation', 'start_line'],
            additionalProperties: false,
          },
        },
      },
      required: ['edits'],
      additionalProperties: false,
    },
  },
];
