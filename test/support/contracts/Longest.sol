// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Long values of all kinds: names, strings, bytes, keys, reasons and nested calls.
contract Longest {
  struct RecordWithANameOfManyWordsThatDoesNotFitIntoAColumn {
    string aMemberWithANameThatIsMuchLongerThanItsColumn;
    bytes bytesOfTheRecord;
    uint256[] numbers;
  }

  event EverythingThatHappenedInOneLogWithALongName(string text, bytes data, uint256[] numbers);
  error TheReasonOfTheFailureWithAVeryLongName(string text, bytes data, uint256[] numbers);

  mapping(string => mapping(address => uint256)) balancesOfTheAccountsByNameOfTheirOwner;
  RecordWithANameOfManyWordsThatDoesNotFitIntoAColumn theRecord;
  string public text;
  uint256 public largest;
  int256 smallest;

  /// Writes `size` characters into everything, then fails if `fails`, below `depth` calls.
  function writeEverythingWithAFunctionOfALongName(uint256 size, uint256 depth, bool fails) external {
    if (depth > 0) {
      try this.writeEverythingWithAFunctionOfALongName(size, depth - 1, fails) {
        largest++;
      } catch Error(string memory reason) {
        revert(string.concat("at ", reason));
      }
      return;
    }
    string memory long_ = _long(size);
    uint256[] memory numbers = new uint256[](8);
    for (uint256 i = 0; i < numbers.length; i++) numbers[i] = type(uint256).max - i;
    text = long_;
    largest = type(uint256).max - 100;
    smallest = type(int256).min;
    balancesOfTheAccountsByNameOfTheirOwner[long_][msg.sender] = type(uint256).max;
    theRecord.aMemberWithANameThatIsMuchLongerThanItsColumn = long_;
    theRecord.bytesOfTheRecord = bytes(long_);
    theRecord.numbers = numbers;
    emit EverythingThatHappenedInOneLogWithALongName(long_, bytes(long_), numbers);
    if (fails) revert(long_);
  }

  function failWithAnErrorOfALongName(uint256 size) external pure {
    uint256[] memory numbers = new uint256[](8);
    revert TheReasonOfTheFailureWithAVeryLongName(_long(size), bytes(_long(size)), numbers);
  }

  function _long(uint256 size) private pure returns (string memory) {
    bytes memory made = new bytes(size);
    for (uint256 i = 0; i < size; i++) made[i] = bytes1(uint8(97 + (i % 26)));
    return string(made);
  }
}
