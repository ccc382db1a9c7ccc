import type { Hex } from '../../../base/hex.ts'
import { addressText, shortAddress } from '../decode/format/address-text.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { Link } from './link.tsx'

interface Props {
  readonly address: Hex
  /** In full, if there is room. */
  readonly isLong?: boolean
}

/** An address, by name if it has one, linked to its page. */
export function AddressLink({ address, isLong = false }: Props) {
  const { uploads: knowledge } = useExplorer()
  const label = knowledge.lens.value.labelOf(address)
  const full = addressText(address)
  return (
    <Link class="mono" to={{ page: { kind: 'address', address } }} title={full}>
      {label ?? (isLong ? full : shortAddress(address))}
    </Link>
  )
}
