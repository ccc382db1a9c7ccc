import { middleCut } from '../../decode/format/middle-cut.ts'
import { safeText } from '../../decode/format/safe-text.ts'
import type { RunSources, SourcePosition } from '../../sources/run-sources.ts'

interface Props {
  readonly sources: RunSources
  readonly position: SourcePosition
}

const AROUND = 2
const LONGEST = 200

/** Some lines of a source, with one marked. */
export function SourceExcerpt({ sources, position }: Props) {
  const { path, line, functionName, isInferred } = position
  const where = `${safeText(path)}, line ${line}`
  return (
    <figure class="source-excerpt">
      <figcaption>
        {where}
        {functionName !== undefined && (
          <>
            , in <code>{safeText(functionName)}</code>
          </>
        )}
        {isInferred === true && ' (by the kind of the failure: the compiler gives no line here)'}
      </figcaption>
      <ol aria-label={`Source of ${where}`}>
        {sources.excerpt(position, AROUND).map((one) => (
          <li
            key={one.line}
            class={one.line === line ? 'is-marked' : ''}
            aria-current={one.line === line ? 'location' : undefined}
          >
            <span class="line-number">{one.line}</span>
            <code>{shown(one.text)}</code>
          </li>
        ))}
      </ol>
    </figure>
  )
}

/** Keeps the indentation; other characters are made safe to display. */
function shown(text: string): string {
  const spaced = middleCut(text.replaceAll('\t', '    '), LONGEST)
  const indent = /^ */.exec(spaced)?.[0] ?? ''
  return indent + safeText(spaced.slice(indent.length))
}
