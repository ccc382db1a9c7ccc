import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { replay } from '../../browser/replay.ts'
import { readPreimages } from '../sources/variables.ts'
import type { OpenedRun } from './opened-run.ts'

/** Returns the preimages of a run, if they are wanted: that takes another run. */
export function useHashed(
  run: Pick<OpenedRun, 'bundle' | 'index' | 'fail'>,
  isWanted: boolean,
): readonly Uint8Array[] {
  const hashed = useSignal<readonly Uint8Array[]>([])
  useEffect(() => {
    if (!isWanted) return
    const ended = new AbortController()
    replay(run.bundle, { tracer: 'keccak256PreimageTracer', signal: ended.signal }).then(
      (traced) => {
        hashed.value = readPreimages(traced, run.index)
      },
      (thrown) => {
        if (!ended.signal.aborted) run.fail(thrown)
      },
    )
    return () => ended.abort()
  }, [run, isWanted, hashed])
  return hashed.value
}
