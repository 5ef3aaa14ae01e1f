import mongoose from 'mongoose';
import { hashToken, newSecret } from './secrets.ts';

interface SignInLinkDoc {
  /** Hash of the token: whoever reads the store cannot sign in with it. */
  _id: string;
  user_id: string;
  expires_at: Date;
}

const schema = new mongoose.Schema<SignInLinkDoc>(
  { _id: String, user_id: String, expires_at: Date },
  { collection: 'sign_in_links', versionKey: false },
);
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
const SignInLinkModel = mongoose.model<SignInLinkDoc>('SignInLink', schema);

/** The token of a link. For whom one is made is decided by set-up, and by `addMember` for somebody new. */
export async function createSignInLink(userId: string, validMs: number): Promise<string> {
  const token = newSecret();
  await SignInLinkModel.create({ _id: hashToken(token), user_id: userId, expires_at: new Date(Date.now() + validMs) });
  return token;
}

/** Taking is deleting, so that of two who come with the same link one gets in. */
export async function takeSignInLink(token: string): Promise<string | null> {
  const taken = await SignInLinkModel.findOneAndDelete({ _id: hashToken(token) }).lean<SignInLinkDoc>();
  return taken && taken.expires_at > new Date() ? taken.user_id : null;
}
