import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import { CONFIDENCE } from './routing-weights.ts';

/** Something a query can be handed to. */
export interface Candidate {
  kind: 'tool' | 'agent';
  id: string;
  name: string;
  description: string;
  scopes: string[];
  examples: string[];
}

export interface Attachment {
  name: string;
  type: string;
}

export interface Scored {
  candidate: Candidate;
  score: number;
  /** How much of what the query says the candidate speaks of, from 0 to 1. */
  coverage: number;
  /** How many of its words. */
  matched: number;
}

const STOPWORDS = new Set(
  (
    'a an the this that these those it its i me my mine we our us you your he him his she her they them their of in on at to for ' +
    'from by with about into over under is are was were be been am do does did have has had can could will would shall should ' +
    'may might must please what which who whom where when why how there here and or but if then so as not no yes just some any ' +
    'all each every more most very also too up out off let get gets got make made need want like tell show give find see'
  ).split(' '),
);

/** Words people use for the same thing; the first is what it is taken for. */
const SAME: string[][] = [
  ['email', 'e-mail', 'mail', 'mails', 'emails'],
  ['document', 'doc', 'docs', 'documents', 'paper', 'handbook'],
  ['picture', 'image', 'photo', 'scan', 'screenshot'],
  ['recording', 'audio', 'speech', 'voice'],
  ['spreadsheet', 'table', 'tabular', 'csv', 'excel', 'sheet'],
  ['summary', 'summarize', 'summarise', 'tldr', 'gist', 'condense', 'digest'],
  ['bug', 'defect', 'error', 'failure', 'fault'],
  ['ticket', 'issue'],
  ['meeting', 'appointment'],
  ['vacation', 'leave', 'holiday'],
  ['invoice', 'bill', 'receipt'],
  ['contract', 'agreement', 'nda'],
  ['web', 'internet', 'online'],
  ['money', 'dollar', 'euro', 'eur', 'usd', 'yen', 'pound', 'franc', 'currency'],
  ['language', 'french', 'german', 'spanish', 'italian', 'japanese', 'english', 'polish', 'chinese', 'portuguese'],
  ['weather', 'rain', 'snow', 'sunny', 'warm', 'cold', 'temperature'],
  ['trip', 'travel', 'journey', 'itinerary'],
  ['outage', 'down', 'incident'],
  ['customer', 'client'],
  ['employee', 'staff', 'colleague'],
  ['run', 'execute'],
  ['write', 'save', 'store', 'put'],
  ['chart', 'plot', 'graph', 'diagram'],
  ['analyse', 'analyze', 'analysis', 'statistics'],
];
const CANONICAL = new Map(
  SAME.flatMap(([first = '', ...others]) => others.map((word) => [stemmer(word), stemmer(first)])),
);

/** Words whose stem is another word's. */
const AS_THEY_ARE = new Set(['news']);

const canonical = (word: string): string => {
  if (AS_THEY_ARE.has(word)) return word;
  const stem = stemmer(word);
  return CANONICAL.get(stem) ?? stem;
};

/** Who writes without the marks over letters means the same word. */
const unmarked = (text: string): string => text.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');

/** Writing that leaves no room between words, in pairs of letters: whole runs of it would hardly ever be the same. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{2,}/gu;
const inPairs = (run: string): string => {
  const letters = [...run];
  return ` ${letters
    .slice(1)
    .map((letter, n) => `${letters[n]}${letter}`)
    .join(' ')} `;
};

/** Words as they count: split where programmers join them, without those that say nothing, in one form. */
export const termsOf = (text: string): string[] =>
  unmarked(text)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(UNSPACED, inPairs)
    .replace(/e-mail/g, 'email')
    .replace(/tl;dr/g, 'tldr')
    // The name of a file says that it is about a file.
    .replace(/\b[\w/-]+\.(?:md|txt|ya?ml|json|csv|ts|js|py|toml|html?)\b/g, ' file $&')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word.length > 1 && !STOPWORDS.has(word))
    .map(canonical);

/** What a file that comes along says of what is wanted. */
const ATTACHED: [RegExp, string][] = [
  [/^application\/pdf$/, 'pdf document extract text'],
  [/^image\//, 'picture image scan extract text'],
  [/^audio\//, 'recording audio speech transcribe'],
  [/^video\//, 'video recording transcribe'],
  [/csv|spreadsheet|excel/, 'spreadsheet table data analyse'],
  [/^text\/x-|javascript|typescript|x-python/, 'code'],
];
const wordsOfAttachment = ({ name, type }: Attachment): string =>
  [...ATTACHED.flatMap(([pattern, words]) => (pattern.test(type) ? [words] : [])), name.replace(/\.\w+$/, '')].join(
    ' ',
  );

const BOOST = { name: 3, examples: 2, description: 1.6, scopes: 1 };
const ATTACHMENT_WEIGHT = 0.45;
const HISTORY_WEIGHT = 0.25;

interface Row extends Omit<Candidate, 'scopes' | 'examples'> {
  n: number;
  scopes: string;
  examples: string;
}

export interface Query {
  text: string;
  attachments: Attachment[];
  /** What was said before in the conversation, newest last. */
  history: string[];
}

/** The candidates of a caller, made searchable. */
export class Shortlist {
  private readonly index: MiniSearch<Row>;
  private readonly weights = new Map<string, number>();

  constructor(readonly candidates: readonly Candidate[]) {
    this.index = new MiniSearch<Row>({
      idField: 'n',
      fields: ['name', 'description', 'scopes', 'examples'],
      tokenize: (text) => termsOf(text),
      processTerm: (term) => term,
    });
    const rows = candidates.map((candidate, n) => ({
      ...candidate,
      n,
      scopes: candidate.scopes.join(' '),
      examples: candidate.examples.join(' '),
    }));
    this.index.addAll(rows);
    const seen = new Map<string, number>();
    for (const { name, description, scopes, examples } of rows) {
      for (const term of new Set(termsOf(`${name} ${description} ${scopes} ${examples}`))) {
        seen.set(term, (seen.get(term) ?? 0) + 1);
      }
    }
    for (const [term, count] of seen) this.weights.set(term, Math.log(1 + candidates.length / count));
  }

  /** A word that nobody speaks of counts as much as one that a single candidate does: it was meant. */
  private weightOf(term: string): number {
    return this.weights.get(term) ?? Math.log(1 + this.candidates.length);
  }

  private scores(text: string): Map<number, { score: number; terms: Set<string> }> {
    const found = this.index.search(text, { boost: BOOST, combineWith: 'OR', prefix: false, fuzzy: false });
    return new Map(found.map(({ id, score, queryTerms }) => [Number(id), { score, terms: new Set(queryTerms) }]));
  }

  find({ text, attachments, history }: Query): Scored[] {
    const asked = new Set(termsOf(text));
    const said = this.scores(text);
    const attached = this.scores(attachments.map(wordsOfAttachment).join(' '));
    const before = this.scores(history.slice(-3).join(' '));
    const whole = [...asked].reduce((sum, term) => sum + this.weightOf(term), 0);
    const scored = this.candidates.map((candidate, n): Scored => {
      const own = said.get(n);
      const score =
        (own?.score ?? 0) +
        ATTACHMENT_WEIGHT * (attached.get(n)?.score ?? 0) +
        // What was talked about decides between those that fit, and brings in nobody else.
        (own ? HISTORY_WEIGHT * (before.get(n)?.score ?? 0) : 0);
      const matched = [...(own?.terms ?? [])].reduce((sum, term) => sum + this.weightOf(term), 0);
      return {
        candidate,
        score,
        coverage: whole === 0 ? 0 : Math.min(1, matched / whole),
        matched: own?.terms.size ?? 0,
      };
    });
    return scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  }
}

export const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** What the confidence is made of; the weights were fitted to the half of the routing set that may be looked at. */
export function signals([first, second]: readonly Scored[]): number[] {
  if (!first) return [0, 0, 0, 0];
  const margin = (first.score - (second?.score ?? 0)) / first.score;
  return [first.coverage, margin, Math.log1p(first.score), Math.min(3, first.matched)];
}

/** How likely it is that the first one is what is wanted. */
function confidenceIn(scored: readonly Scored[]): number {
  if (scored.length === 0) return 0;
  const { bias, weights } = CONFIDENCE;
  return logistic(signals(scored).reduce((total, signal, n) => total + signal * (weights[n] ?? 0), bias));
}

/** Below this, nothing is taken to fit. */
const FITS = 0.5;
/** A part of a query counts as a request of its own only from here on: most of what is joined by “and” is one. */
const STANDS_ALONE = 0.6;
/** Below this, people are asked. */
export const SURE = 0.7;
const UNSURE = 0.5;
const MOST_ALTERNATIVES = 4;

export interface Routing {
  /** In the order they are wanted; empty where nothing fits. */
  selected: Candidate[];
  alternatives: Candidate[];
  /** How likely this is right. */
  confidence: number;
  /** Where there are several: whether each needs what the one before came to. */
  in_sequence: boolean;
}

const CLAUSES = /\s*(?:;|,?\s+and then\s|,?\s+then\s|,?\s+and\s)\s*/i;
const IN_SEQUENCE = /\bthen\b|\b(?:it|them|its|each)\b/i;

/** Each part of a query that asks for something else of its own; null where it is one request. */
function severalOf(shortlist: Shortlist, query: Query): Routing | null {
  const clauses = query.text.split(CLAUSES).filter((clause) => termsOf(clause).length > 0);
  if (clauses.length < 2) return null;
  const found = clauses.map((text) => shortlist.find({ ...query, text }));
  const sure = found.filter((scored) => confidenceIn(scored) >= STANDS_ALONE);
  const tops = [...new Set(sure.flatMap(([top]) => (top ? [top.candidate] : [])))];
  if (tops.length < 2) return null;
  const confidence = Math.min(...sure.map(confidenceIn));
  const alternatives = [...new Set(sure.flatMap(([, ...rest]) => rest.slice(0, 2).map(({ candidate }) => candidate)))];
  return {
    selected: tops,
    alternatives: alternatives.filter((each) => !tops.includes(each)).slice(0, MOST_ALTERNATIVES),
    confidence,
    in_sequence: IN_SEQUENCE.test(query.text),
  };
}

/** By relevance alone, without a model. */
export function routeByRelevance(shortlist: Shortlist, query: Query): Routing {
  const several = severalOf(shortlist, query);
  if (several) return several;
  const scored = shortlist.find(query);
  const confidence = confidenceIn(scored);
  const [top] = scored;
  const others = scored.slice(1, 1 + MOST_ALTERNATIVES).map(({ candidate }) => candidate);
  if (!top || confidence < FITS) {
    const offered = scored.slice(0, MOST_ALTERNATIVES).map(({ candidate }) => candidate);
    // Who speaks of every word may well be meant: too little was said to be sure that nobody is.
    const isSpokenOf = (top?.coverage ?? 0) >= 1;
    const none = isSpokenOf ? Math.min(UNSURE, 1 - confidence) : 1 - confidence;
    return { selected: [], alternatives: offered, confidence: none, in_sequence: false };
  }
  return { selected: [top.candidate], alternatives: others, confidence, in_sequence: false };
}
