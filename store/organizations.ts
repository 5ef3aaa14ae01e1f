import mongoose from 'mongoose';
import type { Caller } from '../domain/identity.ts';
import { insertOnce } from './insert-once.ts';
import { missing } from './tenancy.ts';

interface OrganizationDoc {
  _id: string;
  name: string;
  created_at: Date;
}

const schema = new mongoose.Schema<OrganizationDoc>(
  { _id: String, name: String, created_at: Date },
  { collection: 'organizations', versionKey: false },
);
const OrganizationModel = mongoose.model<OrganizationDoc>('Organization', schema);

/** Set-up only. */
export async function ensureOrganization(id: string, name: string): Promise<void> {
  await insertOnce(OrganizationModel, { _id: id, name, created_at: new Date() });
}

export async function ownOrganization(caller: Caller): Promise<{ id: string; name: string }> {
  const found = await OrganizationModel.findById(caller.org_id).lean<OrganizationDoc>();
  if (!found) throw missing('organization', caller.org_id);
  return { id: found._id, name: found.name };
}
