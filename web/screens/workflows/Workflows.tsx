import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileDown, Play, Plus, Trash2, Workflow as WorkflowIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Menu } from '../../components/Menu.tsx';
import { Page } from '../../components/Page.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Ago } from '../../components/Times.tsx';
import { toast } from '../../components/Toasts.tsx';
import { download } from '../../download.ts';
import { useWorkspace } from '../../queries.ts';
import { summaryOf } from '../../workflow-words.ts';
import { type Workflow, workflowsApi } from '../../workflows-api.ts';
import { Uses } from '../definitions/Uses.tsx';
import { RunWorkflow } from './RunWorkflow.tsx';
import { useWorkflows } from './workflow-queries.ts';

export default function Workflows() {
  const workflows = useWorkflows();
  const role = useWorkspace()?.role;
  const mayMake = role !== undefined && role !== 'read';
  const [text, setText] = useState('');
  const [toRun, setToRun] = useState<Workflow | null>(null);
  const wanted = text.toLowerCase().trim();
  const found = workflows.data?.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <Page title="Workflows" action={mayMake && <NewWorkflow />}>
      {workflows.error && !workflows.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The workflows could not be read" error={workflows.error} />
        </div>
      ) : workflows.data?.length === 0 ? (
        <EmptyState
          icon={WorkflowIcon}
          title="No workflows in this workspace"
          action={mayMake && <ButtonLink to="/workflows/new">Make the first workflow</ButtonLink>}
        >
          A workflow is a list of steps that always runs the same way: agents, tools, approvals, waits. It survives
          restarts, and where a step fails it goes on from there.{' '}
          {!mayMake && 'Somebody who may write here can make one.'}
        </EmptyState>
      ) : (
        <div className="mx-auto flex max-w-5xl flex-col gap-4 p-6 max-sm:p-4">
          <SearchField
            label="Search workflows"
            placeholder="Search by name or what it is for"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {found?.length === 0 && <p className="py-8 text-center text-soft">No workflow is like that.</p>}
          <ul aria-label="Workflows" aria-busy={workflows.isPending} className="flex flex-col gap-3">
            {found
              ? found.map((each) => <WorkflowRow key={each.id} workflow={each} onRun={() => setToRun(each)} />)
              : [0, 1, 2].map((each) => <Skeleton key={each} className="h-24 w-full" />)}
          </ul>
        </div>
      )}
      {toRun && <RunWorkflow workflow={toRun} onClose={() => setToRun(null)} />}
    </Page>
  );
}

function NewWorkflow() {
  return (
    <ButtonLink kind="primary" to="/workflows/new">
      <Plus aria-hidden size={15} /> New workflow
    </ButtonLink>
  );
}

function WorkflowRow({ workflow, onRun }: { workflow: Workflow; onRun: () => void }) {
  const client = useQueryClient();
  const { id, name, version, description, steps, updated_at } = workflow;
  const readAgain = () => client.invalidateQueries({ queryKey: ['workflows'] });
  const failed = (error: Error): void => toast(error.message, 'failed');
  const remove = useMutation({
    mutationFn: () => workflowsApi.remove(id),
    onSuccess: () => {
      const undo = () => workflowsApi.restore(id).then(readAgain, failed);
      toast(`Deleted ${name}`, 'done', { name: 'Undo', run: () => void undo() });
      void readAgain();
    },
  });
  const save = async (): Promise<void> => {
    await import('../../plain-schemas.ts');
    const { writeWorkflowFile } = await import('../../../domain/workflow-file.ts');
    download(`${name.replace(/[^\w-]+/g, '-')}.workflow.yaml`, writeWorkflowFile(workflow), 'text/yaml');
  };
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-lg border border-line p-4">
      <Uses title={`“${name}” was not deleted`} error={remove.error} onClose={remove.reset} />
      <div className="flex items-center justify-between gap-3">
        <h2 className="flex min-w-0 items-center gap-1.5 font-semibold">
          <Link to={`/workflows/${encodeURIComponent(id)}`} className="truncate rounded hover:underline" title={name}>
            {name}
          </Link>
          <span className="font-normal text-faint">v{version}</span>
        </h2>
        <div className="flex shrink-0 items-center gap-1">
          <Button aria-label={`Run ${name}`} onClick={onRun}>
            <Play aria-hidden size={13} /> Run
          </Button>
          <Menu
            label={`More about ${name}`}
            items={[
              { name: 'Export YAML', icon: FileDown, run: () => void save().catch(failed) },
              { name: 'Delete', icon: Trash2, danger: true, run: () => remove.mutate() },
            ]}
          />
        </div>
      </div>
      {description && <p className="line-clamp-2 break-words text-soft">{description}</p>}
      <p className="flex flex-wrap gap-x-4 text-small text-soft">
        <span>{summaryOf(steps)}</span>
        <span>
          changed <Ago at={updated_at} />
        </span>
      </p>
    </li>
  );
}
