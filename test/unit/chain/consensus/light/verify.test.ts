import { describe, expect, test } from 'vitest'
import { ONE_THIRD } from '../../../../../host/chain/consensus/comet/commit-verification.ts'
import type { LightBlock } from '../../../../../host/chain/consensus/light/light-block.ts'
import {
  MAX_CLOCK_DRIFT,
  type TrustRules,
  verifyLater,
  verifyParent,
} from '../../../../../host/chain/consensus/light/verify.ts'
import { CHAIN_ID, member, SignedChain, setOf, timeAt } from './signed-chain.ts'

const HOUR = 3_600_000_000_000n
const RULES: TrustRules = {
  chainId: CHAIN_ID,
  trustingPeriod: HOUR,
  maxClockDrift: MAX_CLOCK_DRIFT,
  trustLevel: ONE_THIRD,
}
const NOW = timeAt(100)

const four = [1, 2, 3, 4].map((n) => member(n))
const [one, two, three] = four as [
  ReturnType<typeof member>,
  ReturnType<typeof member>,
  ReturnType<typeof member>,
]
const chain = new SignedChain(12, () => four)

const verify = (from: number, block: LightBlock, now = NOW, rules = RULES) =>
  verifyLater(chain.at(from), block, rules, now)
const fails = (from: number, block: LightBlock, message: RegExp, code = 'PEER_INVALID') =>
  expect(() => verify(from, block)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  )

/** Returns a block whose commit was changed after it was signed. */
function withCommit(
  block: LightBlock,
  change: (commit: LightBlock['commit']) => Partial<LightBlock['commit']>,
): LightBlock {
  return { ...block, commit: { ...block.commit, ...change(block.commit) } }
}

describe.each([
  ['next', 5, 6],
  ['far', 2, 9],
])('the %s block', (_, from, to) => {
  test('is trusted', () => {
    expect(verify(from, chain.at(to))).toBe(true)
  })

  test('is trusted with just more than two thirds of the power, and not with less', () => {
    expect(verify(from, chain.forge(to, { signers: [one, two, three] }))).toBe(true)
    fails(
      from,
      chain.forge(to, { signers: [one, two] }),
      /signed by voting power 20 of 40, needed more than 26/,
    )
  })

  test.each([
    'appHash',
    'dataHash',
    'lastResultsHash',
    'nextValidatorsHash',
    'lastCommitHash',
  ] as const)('is not trusted if its %s differs from the signed one', (field) => {
    const block = chain.at(to)
    const header = { ...block.header, [field]: new Uint8Array(32).fill(9) }
    fails(
      from,
      { ...block, header },
      /the header has hash [0-9A-F]{64}, the commit signs [0-9A-F]{64}/,
    )
  })

  test('is not trusted with an invalid signature', () => {
    const forged = withCommit(chain.at(to), ({ signatures }) => ({
      signatures: signatures.map((vote, i) =>
        i === 0 ? { ...vote, signature: vote.signature.map((byte) => byte ^ 1) } : vote,
      ),
    }))
    // Invalid signatures in a distant block look like a changed validator set, so bisection continues.
    if (to === from + 1)
      fails(from, forged, /invalid commit: wrong signature of validator [0-9a-f]{40}/)
    else expect(verify(from, forged)).toBe(false)
  })

  test('is not trusted with a repeated signature', () => {
    const forged = withCommit(chain.at(to), ({ signatures }) => ({
      signatures: [signatures[0], signatures[0], signatures[0], signatures[0]].flatMap(
        (vote) => vote ?? [],
      ),
    }))
    if (to === from + 1)
      fails(from, forged, /signature 1 does not belong to validator 1 of the set/)
    else expect(verify(from, forged)).toBe(false)
  })

  test('is not trusted with validators other than those in the header', () => {
    const forged = { ...chain.at(to), validators: setOf([member(8), member(9)]) }
    fails(from, forged, /validators of hash [0-9A-F]{64}, the header states/)
  })

  test('is not trusted without known validators', () => {
    const others = new SignedChain(12, () => [member(8), member(9)])
    const forged = others.at(to)
    if (to === from + 1) fails(from, forged, /its validators are not those that block 5 names/)
    else expect(verify(from, forged)).toBe(false)
  })

  test('is not trusted for another chain, by its chain id or by the signatures', () => {
    fails(
      from,
      chain.forge(to, { header: { chainId: 'other' } }),
      /it is of chain other, not of signed-1/,
    )
    const replayed = chain.forge(to, { chainId: 'other' })
    if (to === from + 1) fails(from, replayed, /wrong signature/)
    else expect(verify(from, replayed)).toBe(false)
  })

  test('is not trusted with a time that decreases or lies in the future', () => {
    fails(from, chain.forge(to, { header: { time: timeAt(from) } }), /is not after \S+ of block/)
    const future = chain.forge(to, { header: { time: NOW + MAX_CLOCK_DRIFT } })
    fails(from, future, /is in the future: it is/)
    const nearly = chain.forge(to, { header: { time: NOW + MAX_CLOCK_DRIFT - 1n } })
    expect(verify(from, nearly)).toBe(true)
  })

  test('is not trusted with the commit of another height or without one', () => {
    const other = { ...chain.at(to), commit: chain.at(to + 1).commit }
    fails(from, other, new RegExp(`the commit is for height ${to + 1}`))
    fails(
      from,
      withCommit(chain.at(to), () => ({ signatures: [] })),
      /the commit has no signatures/,
    )
    fails(
      from,
      chain.forge(to, { header: { version: { block: 10, app: 0 } } }),
      /block protocol 10, want 11/,
    )
  })

  test('is not trusted from a block past the trust period', () => {
    const expired = chain.at(from).header.time + HOUR
    expect(verify(from, chain.at(to), expired - 1n)).toBe(true)
    expect(() => verify(from, chain.at(to), expired)).toThrow(
      expect.objectContaining({ code: 'UNTRUSTED' }),
    )
  })
})

test('a block that is not above the trusted one is refused', () => {
  fails(6, chain.at(6), /it is not above the trusted block 6/)
  fails(6, chain.at(3), /it is not above the trusted block 6/)
})

test('a distant block needs more than a third of the trusted power and two thirds of its own', () => {
  // From height 8 on, one of the four remains and three others are new.
  const changed = new SignedChain(12, (height) =>
    height < 8 ? four : [one, member(5), member(6), member(7)],
  )
  const rules = (numerator: number, denominator: number) => ({
    ...RULES,
    trustLevel: { numerator, denominator },
  })
  expect(verifyLater(changed.at(2), changed.at(9), RULES, NOW)).toBe(false)
  // A quarter of the trusted power signs, which is more than a fifth.
  expect(verifyLater(changed.at(2), changed.at(9), rules(1, 5), NOW)).toBe(true)
  expect(verifyLater(changed.at(7), changed.at(8), RULES, NOW)).toBe(true)
  const half = new SignedChain(12, (height) =>
    height < 8 ? four : [one, two, member(6), member(7)],
  )
  expect(verifyLater(half.at(2), half.at(9), RULES, NOW)).toBe(true)
})

describe('the parent of a trusted block', () => {
  test('is trusted by the hash in its child', () => {
    verifyParent(chain.at(6).header, chain.at(5), CHAIN_ID)
  })

  test.each([
    ['another height', () => chain.at(4), /it is not below 6/],
    [
      'another hash',
      () => chain.forge(5, { header: { appHash: new Uint8Array(32) } }),
      /it is not the parent/,
    ],
    [
      'a later time',
      () => chain.forge(5, { header: { time: timeAt(6) } }),
      /its time is not before/,
    ],
    ['another chain', () => chain.forge(5, { header: { chainId: 'x' } }), /it is of chain x/],
  ])('is refused with %s', (_, forged, message) => {
    expect(() => verifyParent(chain.at(6).header, forged(), CHAIN_ID)).toThrow(message)
  })
})
