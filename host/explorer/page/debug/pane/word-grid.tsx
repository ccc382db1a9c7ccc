import { useSignal } from '@preact/signals'
import type { Debugger } from '../../state/debug/debugger.ts'
import { nextFormat, type WordFormat } from '../../state/debug/word.ts'
import { VirtualGrid } from '../list/virtual-grid.tsx'
import type { NamedWord } from './named-word.ts'
import { WordRow } from './word-row.tsx'

interface Props {
  readonly debug: Debugger
  readonly id: string
  readonly label: string
  readonly words: readonly NamedWord[]
  /** The text for an empty list. */
  readonly none: string
}

/** A list of words: each can be shown in another format and copied, and its writer can be found. */
export function WordGrid({ debug, id, label, words, none }: Props) {
  const active = useSignal<number | undefined>(undefined)
  const formats = useSignal<ReadonlyMap<string, WordFormat>>(new Map())
  if (words.length === 0) return <p class="none">{none}</p>

  const formatOf = ({ key }: NamedWord) => formats.value.get(key) ?? 'hex'
  const switchFormat = (word: NamedWord) => {
    const next = nextFormat(word.value, formatOf(word))
    formats.value = new Map(formats.value).set(word.key, next)
  }
  const touched = words.findIndex((word) => word.isTouched || word.isChanged)
  const at = active.value === undefined ? undefined : Math.min(active.value, words.length - 1)

  const onKey = ({ key }: KeyboardEvent): boolean => {
    const word = words[at ?? 0] as NamedWord
    if (key === 'Enter' || key === ' ') switchFormat(word)
    else if (key === 'w') void debug.goToWriter(word.written)
    else return false
    active.value ??= 0
    return true
  }

  return (
    <VirtualGrid
      id={id}
      label={label}
      class="word-grid"
      rows={words.length}
      active={at}
      onActive={(row) => (active.value = row)}
      revealed={touched === -1 ? undefined : touched}
      onKey={onKey}
      row={(index) => {
        const word = words[index] as NamedWord
        return (
          <WordRow
            key={word.key}
            id={`${id}-${index}`}
            index={index}
            word={word}
            format={formatOf(word)}
            isActive={index === at}
            onActive={() => (active.value = index)}
            onFormat={() => switchFormat(word)}
            onWho={() => void debug.goToWriter(word.written)}
            onCopied={(text) => (debug.answer.value = text)}
          />
        )
      }}
    />
  )
}
