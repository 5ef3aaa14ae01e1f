import { useMutation } from '@tanstack/react-query';
import { Download, ScrollText, SearchX } from 'lucide-react';
import { useState } from 'react';
import type { AuditLine } from '../../../domain/audit.ts';
import { useAddress } from '../../address.ts';
import { auditApi, type ExportFormat } from '../../audit-api.ts';
import { auditFilterCount, auditFilterOf, auditQueryIn, NO_FILTERS } from '../../audit-filters.ts';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Page } from '../../components/Page.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useWorkspace } from '../../queries.ts';
import { withChanges } from '../../run-filters.ts';
import { ActivityFilters } from './ActivityFilters.tsx';
import { ActivityTable } from './ActivityTable.tsx';
import { useActivity } from './activity-list.ts';
import { LineDetail } from './LineDetail.tsx';

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Who did what: everything in the workspace for its admins, their own for all others. */
export function Activity() {
  const workspace = useWorkspace();
  const [search, setSearch] = useAddress();
  const [opened, setOpened] = useState<AuditLine | null>(null);
  const query = auditQueryIn(search);
  const list = useActivity(query);
  const change = (changes: Record<string, string | null>): void => setSearch(withChanges(search, changes));
  const exporting = useMutation({
    mutationFn: async (format: ExportFormat) =>
      save(await auditApi.file(auditFilterOf(query, workspace?.id, Date.now()), format), `activity.${format}`),
    onError: (error) => toast(`The export failed: ${error.message}`, 'failed'),
  });
  const exportButton = (format: ExportFormat, name: string) => (
    <Button
      aria-label={`Export as ${name}`}
      busy={exporting.isPending && exporting.variables === format}
      onClick={() => exporting.mutate(format)}
    >
      <Download aria-hidden size={15} /> {name}
    </Button>
  );

  return (
    <Page
      title="Activity"
      fixed
      action={
        <div className="flex gap-2">
          {exportButton('csv', 'CSV')}
          {exportButton('ndjson', 'NDJSON')}
        </div>
      }
    >
      <ActivityFilters query={query} onChange={change} />
      {list.error && !list.data ? (
        <div className="p-6 max-sm:p-4">
          <ErrorNote title="The activity could not be read" error={list.error} />
        </div>
      ) : list.isSuccess && list.lines.length === 0 ? (
        auditFilterCount(query) > 0 ? (
          <EmptyState
            icon={SearchX}
            title="Nothing fits"
            action={<Button onClick={() => change(NO_FILTERS)}>Show all activity</Button>}
          >
            Nothing that happened in this workspace is all of what you ask for. Take a filter away, or all of them.
          </EmptyState>
        ) : (
          <EmptyState icon={ScrollText} title="Nothing has happened yet">
            Every model call, tool call, decision and change appears here the moment it happens, with who did it and
            whether it was allowed. Lines are never changed or removed.
          </EmptyState>
        )
      ) : (
        <ActivityTable
          key={search.toString()}
          lines={list.lines}
          isPending={list.isPending}
          hasMore={list.hasNextPage}
          onEnd={() => !list.isFetching && list.fetchNextPage()}
          onOpen={setOpened}
        />
      )}
      {opened && <LineDetail line={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}
