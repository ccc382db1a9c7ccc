import type { Phrase, Piece } from '../decode/words/phrase.ts'
import type { OpenedRun } from '../state/opened-run.ts'
import { AddressLink } from './address-link.tsx'

interface Props {
  readonly phrase: Phrase
  readonly run: OpenedRun
}

/** A sentence with links to its addresses, calls and steps. */
export function PhraseText({ phrase, run }: Props) {
  // A phrase does not change, so the position of a piece is its key.
  return <>{phrase.map((piece) => pieceText(piece, run))}</>
}

function pieceText(piece: Piece, run: OpenedRun) {
  if (typeof piece === 'string') return piece
  switch (piece.kind) {
    case 'address':
      return <AddressLink address={piece.address} />
    case 'code':
      return <code>{piece.text}</code>
    case 'call':
      return (
        <button
          type="button"
          class="text-button mono"
          onClick={() => run.location.set({ tab: 'calls', call: piece.call }, 'push')}
        >
          {piece.text}
        </button>
      )
    case 'step':
      return (
        <button
          type="button"
          class="text-button"
          onClick={() =>
            run.location.set({ tab: 'debug', step: piece.step, call: undefined }, 'push')
          }
        >
          {piece.text}
        </button>
      )
  }
}
