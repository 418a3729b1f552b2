//! Roman numerals.

const TABLE: [(u32, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// The numeral of a number from 1 to 3999; anything else is an error.
pub fn roman(mut number: u32) -> Result<String, String> {
    if number == 0 || number > 3999 {
        return Err(format!("no numeral for {number}"));
    }
    let mut text = String::new();
    for (value, letters) in TABLE {
        while number >= value {
            text.push_str(letters);
            number -= value;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::roman;

    #[test]
    fn ordinary_numbers() {
        assert_eq!(roman(7).unwrap(), "VII");
        assert_eq!(roman(1994).unwrap(), "MCMXCIV");
        assert_eq!(roman(444).unwrap(), "CDXLIV");
    }

    #[test]
    fn zero_is_an_error() {
        assert!(roman(0).is_err());
    }
}
