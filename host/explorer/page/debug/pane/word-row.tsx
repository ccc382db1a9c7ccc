import { useMemo } from 'preact/hooks'
import { formatWord, fullWord, type WordFormat } from '../../state/debug/word.ts'
import { copyText } from './copy-text.ts'
import type { NamedWord } from './named-word.ts'
import { RowButton } from './row-button.tsx'

interface Props {
  readonly id: string
  readonly index: number
  readonly word: NamedWord
  readonly format: WordFormat
  readonly isActive: boolean
  readonly onActive: () => void
  readonly onFormat: () => void
  readonly onWho: () => void
  /** Receives a message about what was copied, or why nothing was. */
  readonly onCopied: (text: string) => void
}

/** Rerendered only on change: most words stay from step to step. */
export function WordRow(props: Props) {
  const { id, index, word, format, isActive } = props
  const { key, place, name, value, meaning, aside, isChanged, isTouched } = word
  return useMemo(
    () => drawRow(props),
    [id, index, format, isActive, key, place, name, value, meaning, aside, isChanged, isTouched],
  )
}

function drawRow(props: Props) {
  const { word, format, isActive } = props
  const text = formatWord(word.value, format)
  const classes = ['grid-row']
  if (isActive) classes.push('is-active')
  if (word.isChanged) classes.push('is-changed')
  if (word.isTouched) classes.push('is-touched')
  const copy = async () =>
    props.onCopied(await copyText(format === 'hex' ? fullWord(word.value) : text))
  return (
    <div
      id={props.id}
      role="row"
      aria-rowindex={props.index + 1}
      aria-selected={isActive}
      class={classes.join(' ')}
      onClick={props.onActive}
    >
      <span role="rowheader" class="word-place" title={word.place}>
        {word.place}
      </span>
      <span role="gridcell" class="word-name" title={word.name}>
        {word.name}
      </span>
      <span role="gridcell" class="word-value" title={`${fullWord(word.value)}\n${word.value}`}>
        {text}
        {word.meaning !== undefined && <span class="word-meaning"> = {word.meaning}</span>}
        {word.isChanged && <span class="visually-hidden"> (changed)</span>}
      </span>
      {word.aside !== undefined && (
        <span role="gridcell" class="word-aside">
          {word.aside}
        </span>
      )}
      <span role="gridcell" class="row-buttons">
        <RowButton
          label={`Format of ${word.place}: ${format}`}
          text={format}
          onPress={props.onFormat}
        />
        <RowButton label={`Copy ${word.place}`} text="copy" onPress={() => void copy()} />
        <RowButton
          label={`Find the step that wrote ${word.place}`}
          text="who?"
          onPress={props.onWho}
        />
      </span>
    </div>
  )
}
