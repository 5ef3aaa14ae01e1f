import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { Page } from '../../components/Page.tsx';
import { Segments } from '../../components/Segments.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useMe } from '../../queries.ts';
import { session } from '../../session.ts';
import { THEMES, useTheme } from '../../theme/theme.ts';
import { ApiKeys } from './ApiKeys.tsx';
import { Members } from './Members.tsx';
import { Notebooks } from './Notebooks.tsx';
import { Password } from './Password.tsx';
import { Section } from './Section.tsx';
import { WorkspaceSection } from './WorkspaceSection.tsx';

export function Settings() {
  const { hash } = useLocation();
  useEffect(() => {
    document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
  return (
    <Page title="Settings">
      <div className="mx-auto flex max-w-3xl flex-col divide-y divide-line px-6 max-sm:px-4">
        <Profile />
        <Appearance />
        <WorkspaceSection />
        <Notebooks />
        <Members />
        <ApiKeys />
        <Password />
      </div>
    </Page>
  );
}

function Profile() {
  const { data: me } = useMe();
  const lines: [string, ReactNode][] = [
    ['Name', me?.user.name],
    ['E-mail', me?.user.email],
    ['Organization', me && `${me.organization.name}${me.user.is_owner ? ' (owner)' : ''}`],
    ['Workspaces', me?.workspaces.map(({ name, role }) => `${name} (${role})`).join(', ')],
    ['User id', me && <Copyable text={me.user.id} label="user id" />],
  ];
  return (
    <Section title="Profile" about="Who you are here.">
      <dl className="grid grid-cols-[8rem_1fr] gap-y-2">
        {lines.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="min-w-0 break-words">{value ?? <Skeleton className="w-40" />}</dd>
          </div>
        ))}
      </dl>
      <Button className="self-start" onClick={session.end}>
        Sign out
      </Button>
    </Section>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <Section title="Theme" about="System follows your device.">
      <Segments
        label="Theme"
        value={theme}
        choices={THEMES.map((each) => ({ value: each, name: each.charAt(0).toUpperCase() + each.slice(1) }))}
        onChange={setTheme}
      />
    </Section>
  );
}
