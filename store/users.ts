import mongoose from 'mongoose';
import { Failure } from '../domain/failures.ts';
import type { Caller, User } from '../domain/identity.ts';
import { isDuplicate } from './connection.ts';
import { insertOnce } from './insert-once.ts';
import { missing } from './tenancy.ts';

interface UserDoc {
  _id: string;
  org_id: string;
  /** Lower case, unique in the whole installation: it is what people sign in with. The system user has none. */
  email: string | null;
  name: string;
  is_owner: boolean;
  /** The user that webhooks and schedules of an organization act as; nobody can sign in as it. */
  is_system: boolean;
  password_hash: string | null;
  oidc: { issuer: string; subject: string } | null;
  created_at: Date;
}

const schema = new mongoose.Schema<UserDoc>(
  {
    _id: String,
    org_id: String,
    email: String,
    name: String,
    is_owner: Boolean,
    is_system: Boolean,
    password_hash: String,
    oidc: mongoose.Schema.Types.Mixed,
    created_at: Date,
  },
  { collection: 'users', versionKey: false },
);
schema.index({ email: 1 }, { unique: true, partialFilterExpression: { email: { $type: 'string' } } });
schema.index(
  { 'oidc.issuer': 1, 'oidc.subject': 1 },
  { unique: true, partialFilterExpression: { 'oidc.subject': { $type: 'string' } } },
);
const UserModel = mongoose.model<UserDoc>('User', schema);

const toUser = ({ _id, email, name, is_owner }: UserDoc): User => ({ id: _id, email: email ?? '', name, is_owner });

const fold = (email: string): string => email.trim().toLowerCase();

interface FirstUser {
  id: string;
  org_id: string;
  email: string | null;
  name: string;
  is_owner: boolean;
  is_system: boolean;
}

/** Set-up only. */
export async function ensureUser({ id, email, ...rest }: FirstUser): Promise<void> {
  const fresh = { ...rest, email: email && fold(email), password_hash: null, oidc: null, created_at: new Date() };
  await insertOnce(UserModel, { _id: id, ...fresh });
}

/** Set-up only: the operator's word on who the owner is. */
export async function setEmail(id: string, email: string): Promise<void> {
  await UserModel.updateOne({ _id: id }, { $set: { email: fold(email) } }).catch((error) => {
    throw isDuplicate(error) ? new Error(`${email} is the address of another user already.`) : error;
  });
}

export async function findSignIn(email: string): Promise<{ user: User; password_hash: string | null } | null> {
  const found = await UserModel.findOne({ email: fold(email), is_system: false }).lean<UserDoc>();
  return found && { user: toUser(found), password_hash: found.password_hash };
}

/** The user an issuer's subject stands for; a verified address links the two the first time. */
export async function findOidcUser(
  issuer: string,
  subject: string,
  verifiedEmail: string | null,
): Promise<string | null> {
  const linked = await UserModel.findOne(
    { 'oidc.issuer': issuer, 'oidc.subject': subject },
    { _id: 1 },
  ).lean<UserDoc>();
  if (linked) return linked._id;
  if (verifiedEmail === null) return null;
  const joined = await UserModel.findOneAndUpdate(
    { email: fold(verifiedEmail), is_system: false, oidc: null },
    { $set: { oidc: { issuer, subject } } },
  ).lean<UserDoc>();
  return joined?._id ?? null;
}

/** For building a caller: there is none yet who could ask. */
export const userForCaller = (id: string): Promise<Pick<Caller, 'name' | 'org_id' | 'is_owner'> | null> =>
  UserModel.findById(id, { name: 1, org_id: 1, is_owner: 1 }).lean<UserDoc>();

export async function findUser(caller: Caller, id: string): Promise<User> {
  const found = await UserModel.findOne({ _id: id, org_id: caller.org_id }).lean<UserDoc>();
  if (!found) throw missing('user', id);
  return toUser(found);
}

export async function usersById(caller: Caller, ids: string[]): Promise<Map<string, User>> {
  const found = await UserModel.find({ _id: { $in: ids }, org_id: caller.org_id }).lean<UserDoc[]>();
  return new Map(found.map((user) => [user._id, toUser(user)]));
}

/** The user of this organization with this address, made where there is none. */
export async function inviteUser(
  caller: Caller,
  { id, email, name }: { id: string; email: string; name: string },
): Promise<{ user: User; is_new: boolean }> {
  const fresh: UserDoc = {
    _id: id,
    org_id: caller.org_id,
    email: fold(email),
    name,
    is_owner: false,
    is_system: false,
    password_hash: null,
    oidc: null,
    created_at: new Date(),
  };
  try {
    await UserModel.create(fresh);
    return { user: toUser(fresh), is_new: true };
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const found = await UserModel.findOne({ email: fold(email), org_id: caller.org_id }).lean<UserDoc>();
    if (!found) throw new Failure('conflict', 'This address cannot be invited here.', { email });
    return { user: toUser(found), is_new: found._id === id };
  }
}

export async function passwordHashOf(caller: Caller): Promise<string | null> {
  const found = await UserModel.findOne({ _id: caller.user_id, org_id: caller.org_id }).lean<UserDoc>();
  return found?.password_hash ?? null;
}

export async function setPasswordHash(caller: Caller, password_hash: string): Promise<void> {
  await UserModel.updateOne({ _id: caller.user_id, org_id: caller.org_id }, { $set: { password_hash } });
}
