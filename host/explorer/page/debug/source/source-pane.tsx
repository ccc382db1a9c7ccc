import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Debugger } from '../../state/debug/debugger.ts'
import type { SourceIndex } from '../../state/debug/source-index.ts'
import type { CodeMarks, CodeView } from './code-view.ts'
import { SourceHint } from './source-hint.tsx'

/** The executed source, if known: the current line is marked, and a click beside a line sets a breakpoint. */
export function SourcePane({ debug }: { readonly debug: Debugger }) {
  const sources = debug.sources.value
  if (sources === undefined || sources.files.length === 0) return <SourceHint />
  return <KnownSource debug={debug} sources={sources} />
}

function KnownSource({ debug, sources }: { debug: Debugger; sources: SourceIndex }) {
  const host = useRef<HTMLDivElement>(null)
  const view = useSignal<CodeView | undefined>(undefined)
  const chosen = useSignal<string | undefined>(undefined)
  const shownPath = useRef<string | undefined>(undefined)
  const position = debug.position.value
  // A file chosen by the user is shown until the run reaches another one.
  useEffect(() => {
    chosen.value = undefined
  }, [position?.path, chosen])
  const path = chosen.value ?? position?.path ?? shownPath.current ?? sources.files[0]?.path
  shownPath.current = path
  const file = sources.files.find((each) => each.path === path)

  useEffect(() => {
    // The element of this effect: the reference is empty once the pane is gone.
    const element = host.current
    if (element === null) return undefined
    let isOver = false
    let made: CodeView | undefined
    import('./code-view.ts').then(
      ({ CodeView }) => {
        if (isOver) return
        made = new CodeView(element, (line) => {
          const at = shownPath.current
          if (at !== undefined) debug.toggle({ kind: 'line', path: at, line })
        })
        view.value = made
      },
      (error: unknown) => debug.run.fail(error),
    )
    return () => {
      isOver = true
      made?.destroy()
      view.value = undefined
    }
  }, [debug, view])

  const stops = debug.breakpoints.value
  useEffect(() => {
    if (file === undefined) return
    const lines = (isEnabled: boolean) =>
      new Set(
        stops.flatMap((each) =>
          each.isEnabled === isEnabled && each.stop.kind === 'line' && each.stop.path === file.path
            ? [each.stop.line]
            : [],
        ),
      )
    const shown: CodeMarks = {
      current: position?.path === file.path ? position : undefined,
      stops: lines(true),
      offStops: lines(false),
    }
    view.value?.show(file.path, file.text)
    view.value?.mark(shown)
  }, [view.value, file, position, stops])

  return (
    <>
      <div class="source-head">
        <select
          aria-label="Source file"
          value={path}
          onChange={(event) => {
            chosen.value = event.currentTarget.value
          }}
        >
          {sources.files.map((each) => (
            <option key={each.path} value={each.path}>
              {each.path}
            </option>
          ))}
        </select>
        <span>
          {position === undefined
            ? 'This code has no source here.'
            : `line ${position.line}${position.functionName === undefined ? '' : `, ${position.functionName}`}`}
        </span>
      </div>
      <div class="source-code" ref={host} />
    </>
  )
}
