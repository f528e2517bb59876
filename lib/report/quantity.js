/* Bytes in the largest unit that they make up. */
function bytes(number) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  while (Math.abs(number) >= 1024 && unit < units.length - 1) {
    number /= 1024;
    unit++;
  }
  return number.toFixed(unit ? 2 : 0) + " " + units[unit];
}
