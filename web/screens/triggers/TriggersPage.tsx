import { Plus } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Page } from '../../components/Page.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useMaking } from '../../making.ts';
import { useWorkspace } from '../../queries.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { Schedules } from './Schedules.tsx';
import { Webhooks } from './Webhooks.tsx';

const VIEWS = [
  { value: 'schedules', name: 'Schedules' },
  { value: 'webhooks', name: 'Webhooks' },
] as const;

/** What starts runs when nobody does. */
export default function TriggersPage() {
  const workspace = useWorkspace();
  const [query, setQuery] = useSearchParams();
  const [isMaking, setMaking] = useMaking();
  const view = query.get('view') === 'webhooks' ? 'webhooks' : 'schedules';
  const mayMake = workspace !== undefined && workspace.role !== 'read';
  useShortcuts({ n: () => mayMake && setMaking(true) });
  return (
    <Page
      title="Triggers"
      action={
        mayMake && (
          <Button kind="primary" title="New (n)" onClick={() => setMaking(true)}>
            <Plus aria-hidden size={15} /> {view === 'schedules' ? 'New schedule' : 'New webhook'}
          </Button>
        )
      }
    >
      <div className="mx-auto flex max-w-5xl flex-col gap-6 p-6 max-sm:p-4">
        <Segments
          label="Kind of trigger"
          value={view}
          choices={VIEWS}
          onChange={(next) => setQuery(next === 'schedules' ? {} : { view: next }, { replace: true })}
        />
        {view === 'schedules' ? (
          <Schedules isMaking={isMaking && mayMake} onMake={setMaking} />
        ) : (
          <Webhooks isMaking={isMaking && mayMake} onMake={setMaking} />
        )}
      </div>
    </Page>
  );
}
