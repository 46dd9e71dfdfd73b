//! Tables in Parquet files, as the Workflow Trace Archive and Spark write them. Only the columns that are asked for are
//! decompressed.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::reader::RowIter;
use ::parquet::record::{Field, Row};
use ::parquet::schema::types::Type;
use csv::StringRecord;

use super::TaskTable;
use crate::spark::ImportError;

impl TaskTable {
    /// Reads a Parquet file of the table. Columns are those of its schema's uppermost level, by name or by number
    /// from 1; lists are lists of names, and timestamps are converted to the mapping's unit. Rows that cannot be
    /// imported are counted.
    ///
    /// # Errors
    /// The file is no Parquet or damaged, is compressed by a codec other than Snappy, gzip and, with the feature
    /// `parquet-zstd`, zstd, has none of the columns asked for, or has too many rows.
    pub fn read_parquet(&mut self, name: &str, file: File) -> Result<(), ImportError> {
        // The crate trusts a file's lengths and levels in places, and panics where they are damaged.
        let read = panic::catch_unwind(AssertUnwindSafe(|| self.parquet_rows(name, file)));
        read.unwrap_or_else(|_| Err(ImportError::new(name, "is a damaged Parquet file; write it again")))
    }

    fn parquet_rows(&mut self, name: &str, file: File) -> Result<(), ImportError> {
        let unreadable = |error: ParquetError| {
            ImportError::new(name, format!("cannot be read as Parquet: {error}; convert it to CSV"))
        };
        let reader = SerializedFileReader::new(file).map_err(unreadable)?;
        let schema = reader.metadata().file_metadata().schema();
        let heading: StringRecord = schema.get_fields().iter().map(|field| field.name()).collect();
        let mut fields = self.fields(name, &heading)?;
        // Rows hold the columns asked for, in the order of the file.
        let mut places: Vec<usize> = fields.iter().map(|&(_, place, _)| place).collect();
        places.sort_unstable();
        places.dedup();
        if let Some(&place) = places.last().filter(|&&place| place >= heading.len()) {
            let message = format!("has no column {}; it has {}", place + 1, heading.len());
            return Err(ImportError::new(name, message));
        }
        for (_, place, _) in &mut fields {
            *place = places.partition_point(|other| other < place);
        }
        let columns: Vec<Arc<Type>> =
            places.iter().map(|&place| Arc::clone(&schema.get_fields()[place])).collect();
        let projection =
            Type::group_type_builder(schema.name()).with_fields(columns).build().map_err(unreadable)?;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(unreadable)?;
            let rows = RowIter::from_row_group(Some(projection.clone()), &*group).map_err(unreadable)?;
            for row in rows {
                let record = self.record(row.map_err(unreadable)?);
                self.add(name, &fields, &record)?;
            }
        }
        Ok(())
    }

    /// A row as the texts that a CSV file would have.
    fn record(&self, row: Row) -> StringRecord {
        row.into_columns().into_iter().map(|(_, field)| self.text(&field)).collect()
    }

    fn text(&self, field: &Field) -> String {
        match field {
            Field::Null => String::new(),
            Field::Str(text) => text.trim().to_owned(),
            Field::Bytes(bytes) => String::from_utf8_lossy(bytes.data()).trim().to_owned(),
            Field::Float(number) => number.to_string(),
            Field::Double(number) => number.to_string(),
            Field::TimestampMillis(millis) => (*millis as f64 * (1e3 / self.columns.unit)).to_string(),
            Field::TimestampMicros(micros) => (*micros as f64 / self.columns.unit).to_string(),
            Field::ListInternal(list) => {
                let elements: Vec<String> =
                    list.elements().iter().map(|element| self.text(element)).collect();
                elements.join(" ")
            }
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use ::parquet::basic::Compression;
    #[cfg(feature = "parquet-zstd")]
    use ::parquet::basic::ZstdLevel;
    use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use tempfile::NamedTempFile;

    use super::*;

    /// The tasks of tests.rs as the Workflow Trace Archive has them, and a column that nobody asks for.
    fn workflows(compression: Compression) -> Vec<u8> {
        let schema = "message spark_schema {
            REQUIRED INT64 id; REQUIRED BYTE_ARRAY type (UTF8); REQUIRED INT64 runtime; REQUIRED INT64 ts_submit;
            REQUIRED DOUBLE resource_amount_requested;
            OPTIONAL GROUP parents (LIST) { REPEATED GROUP list { OPTIONAL INT64 element; } }
            OPTIONAL INT64 user_id; REQUIRED BYTE_ARRAY workflow_id (UTF8); }";
        let properties = WriterProperties::builder().set_compression(compression).build();
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("memory");
        let texts = |texts: &[&str]| texts.iter().map(|&text| ByteArray::from(text)).collect::<Vec<_>>();
        let mut group = writer.next_row_group().expect("memory");
        let numbers = |values: [i64; 4]| (values.to_vec(), None, None);
        type Numbers = (Vec<i64>, Option<Vec<i16>>, Option<Vec<i16>>);
        let columns: [Numbers; 8] = [
            numbers([1, 2, 3, 4]),
            numbers([0; 4]),
            numbers([2000, 1000, 500, 250]),
            numbers([5000, 5000, 7000, 6000]),
            numbers([0; 4]),
            // Null, an empty list, 1 and 2, 9.
            (vec![1, 2, 9], Some(vec![0, 1, 3, 3, 3]), Some(vec![0, 0, 0, 1, 0])),
            (vec![7, 7, 7, 8], Some(vec![1; 4]), None),
            numbers([0; 4]),
        ];
        for (index, (values, definition, repetition)) in columns.iter().enumerate() {
            let mut column = group.next_column().expect("memory").expect("a column");
            let written = match index {
                1 => column.typed::<ByteArrayType>().write_batch(&texts(&["map"; 4]), None, None),
                4 => column.typed::<DoubleType>().write_batch(&[1.0, 2.0, 1.0, 0.4], None, None),
                7 => column.typed::<ByteArrayType>().write_batch(&texts(&["w", "w", "w", "v"]), None, None),
                _ => column.typed::<Int64Type>().write_batch(
                    values,
                    definition.as_deref(),
                    repetition.as_deref(),
                ),
            };
            written.expect("memory");
            column.close().expect("memory");
        }
        group.close().expect("memory");
        writer.into_inner().expect("memory")
    }

    fn read(columns: &str, bytes: &[u8]) -> Result<TaskTable, ImportError> {
        let mut file = NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("a file");
        let mut table = TaskTable::new(columns.parse().expect("a mapping"));
        table.read_parquet("t.parquet", file.reopen().expect("a file")).map(|()| table)
    }

    #[test]
    fn parquet_and_text_give_the_same_scenario() {
        let text = "id,runtime,ts_submit,resource_amount_requested,parents,user_id,workflow_id\n\
            1,2000,5000,1.0,[],7,w\n2,1000,5000,2.0,[],7,w\n3,500,7000,1.0,\"[1, 2]\",7,w\n4,250,6000,0.4,[9 ],8,v\n";
        let mut from_text = TaskTable::new("wta".parse().expect("a mapping"));
        from_text.read("t.csv", text.as_bytes()).expect("a table");
        let expected = from_text.import(4).expect("a scenario");
        let codecs = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            #[cfg(feature = "parquet-zstd")]
            Compression::ZSTD(ZstdLevel::default()),
        ];
        for compression in codecs {
            let import =
                read("wta", &workflows(compression)).expect("a table").import(4).expect("a scenario");
            assert_eq!(import.scenario.to_json(), expected.scenario.to_json(), "{compression:?}");
            assert_eq!((import.report.rows.in_table, import.report.parents_unknown), (4, 1));
        }
        // Columns by number, out of order.
        let by_number =
            read("submit=4,runtime=3,job=8,unit=ms", &workflows(Compression::SNAPPY)).expect("a table");
        assert_eq!(by_number.import(4).expect("a scenario").report.jobs, 2);
    }

    #[test]
    fn damage_is_an_error() {
        let whole = workflows(Compression::SNAPPY);
        let message = |columns: &str, bytes: &[u8]| read(columns, bytes).err().map(|error| error.to_string());
        let error = message("submit=at,runtime=runtime", &whole).expect("no column");
        assert!(
            error.starts_with("t.parquet: has no column \"at\" for submit; it has id, type, runtime"),
            "{error}"
        );
        assert_eq!(
            message("submit=9,runtime=3", &whole).as_deref(),
            Some("t.parquet: has no column 9; it has 8")
        );
        assert!(message("wta", &whole[..whole.len() - 9]).is_some_and(|error| error.contains("as Parquet")));
        // Each byte damaged in turn: a table or an error.
        let outcomes: Vec<bool> = (0..whole.len())
            .map(|index| {
                let mut bytes = whole.clone();
                bytes[index] ^= 0x15;
                read("wta", &bytes).is_ok()
            })
            .collect();
        assert!(outcomes.contains(&true) && outcomes.contains(&false));
    }
}
