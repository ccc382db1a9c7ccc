import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CallNode } from '../../../browser/step/stepper.ts'
import { middleCut } from '../../decode/format/middle-cut.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import type { Debugger } from '../../state/debug/debugger.ts'
import type { SourceIndex } from '../../state/debug/source-index.ts'

/** Functions to show of a frame: a recursion may have a thousand. */
const MOST_INNER = 50
const LONGEST_NAME = 80

/** The open frames with their internal functions, innermost first. */
export function CallStackPane({ debug }: { readonly debug: Debugger }) {
  const step = debug.run.stepIndex.value
  const frames = debug.frames.value.stackAt(step)
  const sources = debug.sources.value
  useEffect(() => {
    void debug.readInternal()
  }, [debug, sources])
  return (
    <ol class="call-stack" aria-label="Open frames, innermost first">
      {frames.map((frame, at) => {
        // An outer frame is at the call that entered the next inner one.
        const below = frames[at - 1]
        const standsAt = below === undefined ? step : below.firstStep - 1
        return (
          <li key={frame.index}>
            {sources !== undefined && (
              <InnerFunctions debug={debug} sources={sources} frame={frame} at={standsAt} />
            )}
            <button
              type="button"
              aria-current={at === 0 ? 'true' : undefined}
              onClick={() => debug.goTo(standsAt)}
            >
              <span class="frame-type">{frame.type}</span> <code>{frame.to}</code>{' '}
              <span class="muted">at step {standsAt}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}

interface InnerProps {
  readonly debug: Debugger
  readonly sources: SourceIndex
  readonly frame: CallNode
  /** The step at which the frame is. */
  readonly at: number
}

/** The internal functions of a frame that are open at a step. */
function InnerFunctions({ debug, sources, frame, at }: InnerProps) {
  const stack = debug.internal.value?.stackAt(at, frame.index) ?? []
  if (stack.length === 0) return null
  return (
    <ol class="inner-functions" aria-label={`Functions open in ${frame.to}`}>
      {stack.slice(0, MOST_INNER).map((inner, place) => {
        // An outer function is at the jump that called the next inner one.
        const below = stack[place - 1]
        const standsAt = below === undefined ? at : below.firstStep - 1
        const name = sources.positionIn(frame, inner.pc)?.functionName ?? 'getter'
        const called = below === undefined ? undefined : sources.positionIn(frame, below.callPc)
        return (
          <li key={inner.index}>
            <button type="button" onClick={() => debug.goTo(standsAt)}>
              <code>{middleCut(safeText(name), LONGEST_NAME)}</code>{' '}
              {below === undefined ? (
                <LineAt debug={debug} sources={sources} at={at} />
              ) : (
                called !== undefined && <span class="muted">line {called.line}</span>
              )}{' '}
              <span class="muted">at step {standsAt}</span>
            </button>
          </li>
        )
      })}
      {stack.length > MOST_INNER && <li class="muted">and {stack.length - MOST_INNER} more</li>}
    </ol>
  )
}

/** The line of a step. */
function LineAt({ debug, sources, at }: Omit<InnerProps, 'frame'>) {
  const line = useSignal<number | undefined>(undefined)
  useEffect(() => {
    let isWanted = true
    const read = async () => sources.positionAt(await debug.run.stepper.step(at))
    read().then(
      (position) => {
        if (isWanted) line.value = position?.line
      },
      (thrown) => debug.run.fail(thrown),
    )
    return () => {
      isWanted = false
    }
  }, [debug, sources, at, line])
  return line.value === undefined ? null : <span class="muted">line {line.value}</span>
}
