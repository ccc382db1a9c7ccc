import type { Standard } from './standard.ts'

export const TOKENS: readonly Standard[] = [
  {
    name: 'ERC-20',
    items: `
function name() view returns (string)
function symbol() view returns (string)
function decimals() view returns (uint8)
function totalSupply() view returns (uint256)
function balanceOf(address owner) view returns (uint256)
function transfer(address to, uint256 value) returns (bool)
function transferFrom(address from, address to, uint256 value) returns (bool)
function approve(address spender, uint256 value) returns (bool)
function allowance(address owner, address spender) view returns (uint256)
function increaseAllowance(address spender, uint256 addedValue) returns (bool)
function decreaseAllowance(address spender, uint256 subtractedValue) returns (bool)
function increaseApproval(address spender, uint256 addedValue) returns (bool)
function decreaseApproval(address spender, uint256 subtractedValue) returns (bool)
function mint(address to, uint256 value)
function mint(uint256 value)
function burn(uint256 value)
function burn(address from, uint256 value)
function burnFrom(address from, uint256 value)
function cap() view returns (uint256)
function nonces(address owner) view returns (uint256)
event Transfer(address indexed from, address indexed to, uint256 value)
event Approval(address indexed owner, address indexed spender, uint256 value)
error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
error ERC20InvalidSender(address sender)
error ERC20InvalidReceiver(address receiver)
error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
error ERC20InvalidApprover(address approver)
error ERC20InvalidSpender(address spender)
error ERC20ExceededCap(uint256 increasedSupply, uint256 cap)
error ERC20InvalidCap(uint256 cap)
error InsufficientBalance()
error InsufficientAllowance()
error AllowanceOverflow()
error AllowanceUnderflow()
error TotalSupplyOverflow()`,
  },
  {
    name: 'ERC-1363',
    items: `
function transferAndCall(address to, uint256 value) returns (bool)
function transferAndCall(address to, uint256 value, bytes data) returns (bool)
function transferFromAndCall(address from, address to, uint256 value) returns (bool)
function transferFromAndCall(address from, address to, uint256 value, bytes data) returns (bool)
function approveAndCall(address spender, uint256 value) returns (bool)
function approveAndCall(address spender, uint256 value, bytes data) returns (bool)
function onTransferReceived(address operator, address from, uint256 value, bytes data) returns (bytes4)
function onApprovalReceived(address owner, uint256 value, bytes data) returns (bytes4)
error ERC1363TransferFailed(address receiver, uint256 value)
error ERC1363TransferFromFailed(address sender, address receiver, uint256 value)
error ERC1363ApproveFailed(address spender, uint256 value)`,
  },
  {
    name: 'ERC-2612',
    items: `
function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)
function DOMAIN_SEPARATOR() view returns (bytes32)
function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)
event EIP712DomainChanged()
error ERC2612ExpiredSignature(uint256 deadline)
error ERC2612InvalidSigner(address signer, address owner)
error InvalidAccountNonce(address account, uint256 currentNonce)
error PermitExpired()
error InvalidPermit()`,
  },
  {
    name: 'ERC-3009',
    items: `
function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)
function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)
function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
function authorizationState(address authorizer, bytes32 nonce) view returns (bool)
event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)
event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)`,
  },
  {
    name: 'ERC-20 votes',
    items: `
function delegate(address delegatee)
function delegates(address account) view returns (address)
function delegateBySig(address delegatee, uint256 nonce, uint256 expiry, uint8 v, bytes32 r, bytes32 s)
function getVotes(address account) view returns (uint256)
function getPastVotes(address account, uint256 timepoint) view returns (uint256)
function getPastTotalSupply(uint256 timepoint) view returns (uint256)
function clock() view returns (uint48)
function CLOCK_MODE() view returns (string)
event DelegateChanged(address indexed delegator, address indexed fromDelegate, address indexed toDelegate)
event DelegateVotesChanged(address indexed delegate, uint256 previousVotes, uint256 newVotes)
error VotesExpiredSignature(uint256 expiry)
error ERC5805FutureLookup(uint256 timepoint, uint48 clock)
error ERC6372InconsistentClock()
error ERC20ExceededSafeSupply(uint256 increasedSupply, uint256 cap)`,
  },
  {
    name: 'ERC-3156',
    items: `
function maxFlashLoan(address token) view returns (uint256)
function flashFee(address token, uint256 value) view returns (uint256)
function flashLoan(address receiver, address token, uint256 value, bytes data) returns (bool)
function onFlashLoan(address initiator, address token, uint256 amount, uint256 fee, bytes data) returns (bytes32)
error ERC3156UnsupportedToken(address token)
error ERC3156ExceededMaxLoan(uint256 maxLoan)
error ERC3156InvalidReceiver(address receiver)`,
  },
  {
    name: 'WETH',
    items: `
function deposit() payable
function withdraw(uint256 wad)
event Deposit(address indexed dst, uint256 wad)
event Withdrawal(address indexed src, uint256 wad)`,
  },
  {
    name: 'ERC-721',
    items: `
function ownerOf(uint256 tokenId) view returns (address)
function safeTransferFrom(address from, address to, uint256 tokenId)
function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
function setApprovalForAll(address operator, bool approved)
function isApprovedForAll(address owner, address operator) view returns (bool)
function getApproved(uint256 tokenId) view returns (address)
function tokenURI(uint256 tokenId) view returns (string)
function tokenByIndex(uint256 index) view returns (uint256)
function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)
function safeMint(address to, uint256 tokenId)
function safeMint(address to)
function onERC721Received(address operator, address from, uint256 tokenId, bytes data) returns (bytes4)
event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)
event MetadataUpdate(uint256 tokenId)
event BatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId)
error ERC721InvalidOwner(address owner)
error ERC721NonexistentToken(uint256 tokenId)
error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
error ERC721InvalidSender(address sender)
error ERC721InvalidReceiver(address receiver)
error ERC721InsufficientApproval(address operator, uint256 tokenId)
error ERC721InvalidApprover(address approver)
error ERC721InvalidOperator(address operator)
error ERC721OutOfBoundsIndex(address owner, uint256 index)
error ERC721EnumerableForbiddenBatchMint()
error ERC721ForbiddenBatchMint()
error ERC721ExceededMaxBatchMint(uint256 batchSize, uint256 maxBatch)
error ERC721ForbiddenMint()
error ERC721ForbiddenBatchBurn()
error ERC721UnsupportedToken(address token)`,
  },
  {
    name: 'ERC-721A',
    items: `
error ApprovalCallerNotOwnerNorApproved()
error ApprovalQueryForNonexistentToken()
error BalanceQueryForZeroAddress()
error MintToZeroAddress()
error MintZeroQuantity()
error OwnerQueryForNonexistentToken()
error TransferCallerNotOwnerNorApproved()
error TransferFromIncorrectOwner()
error TransferToNonERC721ReceiverImplementer()
error TransferToZeroAddress()
error URIQueryForNonexistentToken()`,
  },
  {
    name: 'ERC-1155',
    items: `
function balanceOf(address account, uint256 id) view returns (uint256)
function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])
function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)
function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)
function uri(uint256 id) view returns (string)
function totalSupply(uint256 id) view returns (uint256)
function exists(uint256 id) view returns (bool)
function burn(address account, uint256 id, uint256 value)
function burnBatch(address account, uint256[] ids, uint256[] values)
function mint(address to, uint256 id, uint256 value, bytes data)
function mintBatch(address to, uint256[] ids, uint256[] values, bytes data)
function onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes data) returns (bytes4)
function onERC1155BatchReceived(address operator, address from, uint256[] ids, uint256[] values, bytes data) returns (bytes4)
event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)
event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)
event URI(string value, uint256 indexed id)
error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)
error ERC1155InvalidSender(address sender)
error ERC1155InvalidReceiver(address receiver)
error ERC1155MissingApprovalForAll(address operator, address owner)
error ERC1155InvalidApprover(address approver)
error ERC1155InvalidOperator(address operator)
error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)`,
  },
  {
    name: 'ERC-2981',
    items: `
function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns (address receiver, uint256 royaltyAmount)
error ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256 denominator)
error ERC2981InvalidDefaultRoyaltyReceiver(address receiver)
error ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256 numerator, uint256 denominator)
error ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver)`,
  },
  {
    name: 'ERC-4626',
    items: `
function asset() view returns (address)
function totalAssets() view returns (uint256)
function convertToShares(uint256 assets) view returns (uint256)
function convertToAssets(uint256 shares) view returns (uint256)
function maxDeposit(address receiver) view returns (uint256)
function maxMint(address receiver) view returns (uint256)
function maxWithdraw(address owner) view returns (uint256)
function maxRedeem(address owner) view returns (uint256)
function previewDeposit(uint256 assets) view returns (uint256)
function previewMint(uint256 shares) view returns (uint256)
function previewWithdraw(uint256 assets) view returns (uint256)
function previewRedeem(uint256 shares) view returns (uint256)
function deposit(uint256 assets, address receiver) returns (uint256 shares)
function mint(uint256 shares, address receiver) returns (uint256 assets)
function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)
function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)
event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)
event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)
error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)
error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)
error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)
error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)`,
  },
  {
    name: 'ERC-165',
    items: `
function supportsInterface(bytes4 interfaceId) view returns (bool)`,
  },
  {
    name: 'ERC-1820',
    items: `
function setInterfaceImplementer(address account, bytes32 interfaceHash, address implementer)
function getInterfaceImplementer(address account, bytes32 interfaceHash) view returns (address)
function tokensReceived(address operator, address from, address to, uint256 amount, bytes userData, bytes operatorData)
function tokensToSend(address operator, address from, address to, uint256 amount, bytes userData, bytes operatorData)
event Sent(address indexed operator, address indexed from, address indexed to, uint256 amount, bytes data, bytes operatorData)
event Minted(address indexed operator, address indexed to, uint256 amount, bytes data, bytes operatorData)
event Burned(address indexed operator, address indexed from, uint256 amount, bytes data, bytes operatorData)`,
  },
]
