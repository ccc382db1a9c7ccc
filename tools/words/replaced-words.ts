/** A wording that the project does not use, and what it uses instead. */
export interface ReplacedWord {
  readonly pattern: RegExp
  readonly say: string
}

/** Matches are found in the comments of sources and in the prose of pages. */
export const REPLACED_WORDS: readonly ReplacedWord[] = [
  { pattern: /\bchain's thread\b|\bthread of the chain\b/i, say: 'main thread' },
  { pattern: /\b(?:threads? that serves?|serving threads?)\b/i, say: 'RPC worker' },
  { pattern: /\bon (?:its|their) way\b/i, say: 'in flight' },
  {
    pattern: /(?<!there )\b(?:is|are|was|were) none\b/i,
    say: 'is absent, is invalid, or there is no ...',
  },
  { pattern: /\bnobody\b/i, say: 'no client, no caller, no process ...' },
  { pattern: /\bby then\b/i, say: 'before, or already' },
  { pattern: /\bmakers? of blocks\b/i, say: 'block producer' },
  { pattern: /\bis called otherwise\b/i, say: 'is renamed' },
  { pattern: /\b(?:is|are) told\b/i, say: 'the subject and what it notifies' },
  { pattern: /\bstop-signs?\b/i, say: 'abort flag' },
  { pattern: /\bsettings to come\b/i, say: "next block's overrides" },
  { pattern: /\bheld accounts?\b/i, say: 'unlocked account' },
  { pattern: /\baccount lanes?\b/i, say: 'nonce manager' },
  { pattern: /—/, say: 'a comma, a colon or a full stop' },
]
