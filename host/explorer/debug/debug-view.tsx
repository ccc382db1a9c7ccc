import type { OpenedRun } from '../run/opened-run.ts'

/** The debugger of a run. */
export function DebugView({ run }: { readonly run: OpenedRun }) {
  const step = run.step.value
  return (
    <section aria-label="Debugger">
      {step !== undefined && (
        <p>
          Step {step.index}: {step.name} at pc {step.pc}
        </p>
      )}
    </section>
  )
}
