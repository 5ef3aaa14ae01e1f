import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { Button } from '../../components/Button.tsx';
import { Contents } from '../../components/Contents.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { Page } from '../../components/Page.tsx';
import { Segments } from '../../components/Segments.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useMe, useWorkspace } from '../../queries.ts';
import { isAdmin } from '../../roles.ts';
import { session } from '../../session.ts';
import { THEMES, useTheme } from '../../theme/theme.ts';
import { ApiKeys } from './ApiKeys.tsx';
import { Dispatcher } from './Dispatcher.tsx';
import { Executors } from './Executors.tsx';
import { Github } from './Github.tsx';
import { Members } from './Members.tsx';
import { Notebooks } from './Notebooks.tsx';
import { Password } from './Password.tsx';
import { Section } from './Section.tsx';
import { WorkspaceSection } from './WorkspaceSection.tsx';

const YOURS = [
  { id: 'profile', name: 'Profile' },
  { id: 'theme', name: 'Theme' },
  { id: 'password', name: 'Password' },
  { id: 'api-keys', name: 'API keys' },
  { id: 'dispatcher', name: 'Dispatcher' },
];
const OF_THE_WORKSPACE = [
  { id: 'workspace', name: 'General' },
  { id: 'notebooks', name: 'Notebooks' },
  { id: 'members', name: 'Members' },
];
const FOR_ADMINS = [{ id: 'github', name: 'GitHub' }];
const OF_THE_INSTALLATION = [{ id: 'executors', name: 'Executors' }];

export function Settings() {
  const { hash } = useLocation();
  const { data: me } = useMe();
  const workspace = useWorkspace();
  const isKnown = me !== undefined;
  const ofWorkspace = isAdmin(workspace?.role) ? [...OF_THE_WORKSPACE, ...FOR_ADMINS] : OF_THE_WORKSPACE;
  useEffect(() => {
    // What the address names may only be there once it is known who asks.
    if (isKnown) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash, isKnown]);
  return (
    <Page title="Settings">
      <div className="mx-auto flex max-w-5xl gap-8 px-6 max-sm:px-4">
        <Contents
          groups={[
            { name: 'You', sections: YOURS },
            ...(workspace ? [{ name: 'This workspace', sections: ofWorkspace }] : []),
            ...(me?.user.is_owner ? [{ name: 'The installation', sections: OF_THE_INSTALLATION }] : []),
          ]}
        />
        <div className="flex min-w-0 max-w-3xl flex-1 flex-col divide-y divide-line">
          <Profile />
          <Appearance />
          <Password />
          <ApiKeys />
          <Dispatcher />
          <WorkspaceSection />
          <Notebooks />
          <Members />
          <Github />
          <Executors />
        </div>
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
    <Section anchor="profile" title="Profile" about="Who you are here.">
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
    <Section anchor="theme" title="Theme" about="System follows your device.">
      <Segments
        label="Theme"
        value={theme}
        choices={THEMES.map((each) => ({ value: each, name: each.charAt(0).toUpperCase() + each.slice(1) }))}
        onChange={setTheme}
      />
    </Section>
  );
}
