// Unpacks LZMA: a header of 13 bytes, and what a range coder has made of literals and of matches with what came before.
const unlzma = (input, length) => {
  const literalBits = input[0] % 9;
  const literalPositionBits = Math.floor(input[0] / 9) % 5;
  const literalMask = (1 << literalPositionBits) - 1;
  const positionMask = (1 << Math.floor(input[0] / 45)) - 1;
  // The coder's range and code. Numbers of 32 bits stay numbers in an array.
  const coder = new Uint32Array([0xffffffff, ((input[14] << 24) | (input[15] << 16) | (input[16] << 8) | input[17]) >>> 0]);
  let read = 18;
  const more = () => {
    if (coder[0] >= 0x1000000) return;
    coder[0] <<= 8;
    coder[1] = (coder[1] << 8) | input[read++];
  };
  const chances = (count) => new Uint16Array(count).fill(1024);
  const bit = (model, index) => {
    const chance = model[index];
    const bound = (coder[0] >>> 11) * chance;
    const isOne = coder[1] >= bound;
    if (isOne) {
      coder[0] -= bound;
      coder[1] -= bound;
      model[index] = chance - (chance >> 5);
    } else {
      coder[0] = bound;
      model[index] = chance + ((2048 - chance) >> 5);
    }
    more();
    return isOne ? 1 : 0;
  };
  const evenBits = (count) => {
    let value = 0;
    for (; count > 0; count--) {
      coder[0] >>>= 1;
      const isOne = coder[1] >= coder[0];
      if (isOne) coder[1] -= coder[0];
      value = (value << 1) | (isOne ? 1 : 0);
      more();
    }
    return value;
  };
  const tree = (model, start, bits) => {
    let node = 1;
    for (let count = 0; count < bits; count++) node = (node << 1) | bit(model, start + node);
    return node - (1 << bits);
  };
  const lowBitsFirst = (model, start, bits) => {
    let node = 1;
    let value = 0;
    for (let count = 0; count < bits; count++) {
      const next = bit(model, start + node);
      node = (node << 1) | next;
      value |= next << count;
    }
    return value;
  };
  const lengths = () => {
    const [choice, short, middle, long] = [chances(2), chances(128), chances(128), chances(256)];
    return (position) => {
      if (bit(choice, 0) === 0) return 2 + tree(short, position << 3, 3);
      if (bit(choice, 1) === 0) return 10 + tree(middle, position << 3, 3);
      return 18 + tree(long, 0, 8);
    };
  };
  const literals = chances(0x300 << (literalBits + literalPositionBits));
  const [isMatch, isLongRepeat] = [chances(192), chances(192)];
  const [isRepeat, isNotLast, isNotSecond, isNotThird] = [chances(12), chances(12), chances(12), chances(12)];
  const [slots, middleBits, lowBits] = [chances(256), chances(115), chances(16)];
  const [matchLength, repeatLength] = [lengths(), lengths()];

  const output = new Uint8Array(length);
  let at = 0;
  const literal = (isAfterMatch, distance) => {
    const before = at > 0 ? output[at - 1] : 0;
    const start = 0x300 * (((at & literalMask) << literalBits) + (before >> (8 - literalBits)));
    let node = 1;
    if (isAfterMatch) {
      // What would have gone on with the match is a hint, up to the first bit that differs.
      let hint = output[at - distance - 1];
      let isSame = true;
      while (node < 0x100 && isSame) {
        const expected = (hint >> 7) & 1;
        hint <<= 1;
        const next = bit(literals, start + ((1 + expected) << 8) + node);
        node = (node << 1) | next;
        isSame = next === expected;
      }
    }
    while (node < 0x100) node = (node << 1) | bit(literals, start + node);
    output[at++] = node;
  };
  const distanceOf = (matched) => {
    const slot = tree(slots, Math.min(matched - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const most = (2 | (slot & 1)) << bits;
    if (slot < 14) return most + lowBitsFirst(middleBits, most - slot, bits);
    return most + (evenBits(bits - 4) << 4) + lowBitsFirst(lowBits, 0, 4);
  };
  // The last four distances, and what the last steps were: below 7 a literal was the last.
  let [last, second, third, fourth, state] = [0, 0, 0, 0, 0];
  /** Makes one of the last distances the last; says whether a single byte is repeated from there. */
  const repeats = (context) => {
    if (bit(isNotLast, state) === 0) return bit(isLongRepeat, context) === 0;
    let distance = second;
    if (bit(isNotSecond, state) === 1) {
      distance = third;
      if (bit(isNotThird, state) === 1) {
        distance = fourth;
        fourth = third;
      }
      third = second;
    }
    second = last;
    last = distance;
    return false;
  };
  while (at < length) {
    const position = at & positionMask;
    const context = (state << 4) | position;
    if (bit(isMatch, context) === 0) {
      literal(state >= 7, last);
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let matched = 1;
    if (bit(isRepeat, state) === 0) {
      matched = matchLength(position);
      fourth = third;
      third = second;
      second = last;
      last = distanceOf(matched);
      state = state < 7 ? 7 : 10;
    } else if (repeats(context)) {
      state = state < 7 ? 9 : 11;
    } else {
      matched = repeatLength(position);
      state = state < 7 ? 8 : 11;
    }
    for (const end = Math.min(at + matched, length); at < end; at++) output[at] = output[at - last - 1];
  }
  return output;
};

