import type { Debugger } from '../../state/debug/debugger.ts'

/** The open frames, innermost first. */
export function CallStackPane({ debug }: { readonly debug: Debugger }) {
  const step = debug.run.stepIndex.value
  const frames = debug.frames.value.stackAt(step)
  return (
    <ol class="call-stack" aria-label="Open frames, innermost first">
      {frames.map((frame, at) => {
        // An outer frame is at the call that entered the next inner one.
        const below = frames[at - 1]
        const standsAt = below === undefined ? step : below.firstStep - 1
        return (
          <li key={frame.index}>
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
