import { describe, expect, test } from 'vitest'
import { FAILURES } from '../../../../../host/base/failure-table.ts'
import {
  cometExitError,
  isFatal,
  isTransient,
  loggedFailure,
} from '../../../../../host/chain/consensus/cometbft/comet-failure.ts'
import type { CometLogLine } from '../../../../../host/chain/consensus/cometbft/comet-log-line.ts'

const WRONG = 'wrong Block.Header.AppHash.  Expected 0A0B, got 0C0D'

function line(given: Partial<CometLogLine>): CometLogLine {
  return {
    level: 'error',
    module: 'consensus',
    message: 'CONSENSUS FAILURE!!!',
    fields: {},
    ...given,
  }
}

describe('a consensus failure', () => {
  test('for a wrong app hash has the message that operators search for, and its remedy', () => {
    const err = `+2/3 committed an invalid block: ${WRONG}`
    const failure = loggedFailure(line({ fields: { err, stack: 'goroutine 1' } }), 42)
    expect(failure).toMatchObject({
      code: 'APP_HASH_MISMATCH',
      message:
        'Consensus failure - height halted at 42: wrong Block.Header.AppHash. Expected 0A0B, got 0C0D',
      hint: FAILURES.APP_HASH.remedy,
      data: { height: 42 },
    })
    for (const { pattern } of [FAILURES.APP_HASH, FAILURES.CONSENSUS_HALTED]) {
      expect(failure?.message).toMatch(pattern)
    }
  })

  test('of another kind has the message of CometBFT', () => {
    const err = 'failed to apply block; error EOF'
    expect(loggedFailure(line({ fields: { err } }), 9)).toMatchObject({
      code: 'CONSENSUS_FAILURE',
      message: 'Consensus failure - height halted at 9: failed to apply block; error EOF',
      hint: FAILURES.CONSENSUS_HALTED.remedy,
    })
  })

  test('is reported for a synced block that two thirds signed but whose state differs', () => {
    const fields = { err: WRONG }
    const wanted = { module: 'blocksync', message: 'Error in validation', fields }
    expect(loggedFailure(line(wanted), 3)?.code).toBe('APP_HASH_MISMATCH')
    // A peer that sends a block without its signatures is faulty itself.
    expect(
      loggedFailure(
        line({ ...wanted, fields: { err: 'invalid commit -- insufficient power' } }),
        3,
      ),
    ).toBeUndefined()
  })

  test('is not reported for other errors, such as a refused proposal', () => {
    const prevote = 'prevote step: consensus deems this block invalid; prevoting nil'
    expect(loggedFailure(line({ message: prevote, fields: { err: WRONG } }), 3)).toBeUndefined()
    expect(loggedFailure(line({ level: 'info' }), 3)).toBeUndefined()
  })
})

describe('a CometBFT that exits before it answers', () => {
  test.each([
    [
      'COMETBFT_FAILED',
      ['ERROR: failed to create node: cannot decode genesis'],
      'failed to create node: cannot decode genesis',
    ],
    ['COMETBFT_FAILED', ['panic: boom', '', 'goroutine 1 [running]:', 'main.main()'], 'boom'],
    ['COMETBFT_FAILED', ['bad key file'], 'bad key file'],
    ['COMETBFT_FAILED', [], 'it said nothing'],
    [
      'HOME_LOCKED',
      ['ERROR: failed to create node: resource temporarily unavailable'],
      'failed to create node: resource temporarily unavailable',
    ],
    [
      'PORT_IN_USE',
      ['ERROR: failed to start node: listen tcp 0.0.0.0:26656: bind: address already in use'],
      'failed to start node: listen tcp 0.0.0.0:26656: bind: address already in use',
    ],
    [
      'STORE_FULL',
      ['panic: write /h/data/cometbft/data/cs.wal/wal: no space left on device'],
      'write /h/data/cometbft/data/cs.wal/wal: no space left on device',
    ],
    [
      'APP_HASH_MISMATCH',
      ['panic: block.AppHash does not match AppHash after replay. Got A, expected B.'],
      'block.AppHash does not match AppHash after replay. Got A, expected B.',
    ],
  ] as const)('is reported as %s if it prints %j', (code, lines, reason) => {
    const end = cometExitError('ended with 1', lines)
    expect(end.code).toBe(code)
    expect(end.message).toBe(`CometBFT ended with 1: ${reason}`)
    expect(isTransient(end)).toBe(code === 'HOME_LOCKED' || code === 'PORT_IN_USE')
    expect(isFatal(end)).toBe(code === 'APP_HASH_MISMATCH')
  })

  test('is reported as a corrupted database if a file on disk is damaged', () => {
    const reason = 'failed to create node: leveldb/storage: corrupted or incomplete CURRENT file'
    const end = cometExitError('ended with 1', [`ERROR: ${reason}`])
    expect(end.code).toBe('STORE_CORRUPTED')
    expect(end.message).toBe(`Database is corrupted: CometBFT ended with 1: ${reason}`)
    expect(isFatal(end)).toBe(false)
  })

  test('is reported as a double signature if its key signed in the last blocks', () => {
    const end = cometExitError('ended with 1', [
      'ERROR: failed to start node: failed to start *consensus.Reactor: found signature from the same key',
    ])
    expect(end.code).toBe('DOUBLE_SIGN')
    expect(end.message).toMatch(FAILURES.DUPLICATE_SIGNATURE.pattern)
    expect(isFatal(end)).toBe(true)
  })
})
