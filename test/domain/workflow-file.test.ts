import { describe, expect, it } from 'vitest';
import { readWorkflowFile, writeWorkflowFile } from '../../domain/workflow-file.ts';

const YAML = `name: Weekly report
description: Sums up the notes
steps:
  - id: find
    type: tool
    tool: list_files
  - id: each
    type: map
    over: "{{ steps.find.output.files }}"
    steps:
      - id: sum
        type: agent
        agent: writer
        input_mapping: Sum up {{ item }}
  - id: ok
    type: approval
    message: Publish it?
`;

describe('[7] a workflow as a file', () => {
  it('is read, and written so that it reads the same', () => {
    const { file, problems } = readWorkflowFile(YAML);
    expect(problems).toEqual([]);
    if (!file) throw new Error('not read');
    const again = writeWorkflowFile(file);
    expect(again).not.toContain('on_error');
    expect(readWorkflowFile(again).file).toEqual(file);
  });

  it.each([
    ['a word that is no step', YAML.replace('type: approval', 'type: vote'), 16, 'ok', 'one of agent, tool'],
    ['a field missing', YAML.replace('message: Publish it?', 'massage: Publish it?'), 15, 'ok', 'message'],
    ['a path that leads to no step', YAML.replace('steps.find', 'steps.fnd'), 9, 'each', 'there is no step fnd'],
    ['a mapping deep inside', YAML.replace('{{ item }}', '{{ itm }}'), 14, 'sum', 'there is no itm here'],
    ['what is no YAML', YAML.replace('name: W', 'name: [W'), 2, null, 'end with a ]'],
  ])('says on which line and at which step there is %s', (_what, text, line, step, said) => {
    const { problems } = readWorkflowFile(text);
    expect(problems[0]).toMatchObject({ line, step, message: expect.stringContaining(said) });
  });
});
