import mongoose from 'mongoose';
import type { UserSettings } from '../domain/dispatch.ts';
import type { Caller } from '../domain/identity.ts';
import { nativeCollection } from './connection.ts';

interface SettingsDoc extends UserSettings {
  /** Of the user whose they are, in their organization. */
  _id: string;
  org_id: string;
  updated_at: Date;
}

const list = { type: [String], default: null };
const schema = new mongoose.Schema<SettingsDoc>(
  { _id: String, org_id: String, enabled_tools: list, enabled_agents: list, updated_at: Date },
  { collection: 'user_settings', versionKey: false },
);
mongoose.model<SettingsDoc>('UserSettings', schema);
const settingsCollection = () => nativeCollection<SettingsDoc>('user_settings');

const idOf = ({ org_id, user_id }: Caller): string => `${org_id}:${user_id}`;

const ALL: UserSettings = { enabled_tools: null, enabled_agents: null };

/** One's own; nobody reads those of somebody else. */
export async function settingsOf(caller: Caller): Promise<UserSettings> {
  const found = await settingsCollection().findOne({ _id: idOf(caller), org_id: caller.org_id });
  return found ? { enabled_tools: found.enabled_tools, enabled_agents: found.enabled_agents } : ALL;
}

/** As a whole: what is not said is on. */
export async function keepSettings(caller: Caller, settings: UserSettings): Promise<UserSettings> {
  await settingsCollection().updateOne(
    // By its id alone, in which the organization is: only so the store itself settles two that come first at once.
    { _id: idOf(caller) },
    { $set: { ...settings, updated_at: new Date() }, $setOnInsert: { org_id: caller.org_id } },
    { upsert: true },
  );
  return settings;
}
