/** EIPs, as links that open in a new tab. */
export function EipLinks({ eips }: { readonly eips: readonly number[] }) {
  return eips.map((eip) => (
    <a
      key={eip}
      href={`https://eips.ethereum.org/EIPS/eip-${eip}`}
      target="_blank"
      rel="noreferrer"
    >
      EIP-{eip}{' '}
    </a>
  ))
}
