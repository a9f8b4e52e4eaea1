//! PFSELFTEST
//!
//! Registers keep what is written to them; sparse and dense forms give the same estimate; and that is
//! as near to the truth as 16,384 registers allow. Up to a million elements, which takes a moment: it
//! is for operators.

use engine::random;
use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::hyperloglog::{self as hll, Encoding, Mark, RANK_MAX, REGISTERS};

use super::sparse_len_max;

pub(super) const PFSELFTEST: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PFSELFTEST")
    .group(Group::HyperLogLog)
    .exactly(1)
    .flags(flags::ADMIN)
    .since("2.8.9")
    .summary("An internal command for testing HyperLogLog values.")
    .complexity("N/A");

const ELEMENTS_MAX: u64 = 1_000_000;

/// How many standard errors an estimate may be wrong by.
const ERRORS_MAX: f64 = 6.0;

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    check_registers()?;
    check_estimates(sparse_len_max(ctx))?;
    ctx.reply.ok();
    DONE
}

fn failed(what: &str) -> CommandError {
    CommandError::new(format!("ERR TESTFAILED {what}"))
}

/// Sets random ranks in random order, and reads all of them back.
fn check_registers() -> Result<(), CommandError> {
    const CYCLES: usize = 100;
    for _ in 0..CYCLES {
        let mut ranks = vec![0; REGISTERS];
        let mut string = hll::empty();
        let marks: Vec<Mark> = (0..REGISTERS)
            .map(|_| Mark {
                register: random::next() as usize % REGISTERS,
                rank: (random::next() % RANK_MAX as u64) as u8 + 1,
            })
            .collect();
        for mark in &marks {
            ranks[mark.register] = mark.rank.max(ranks[mark.register]);
        }
        hll::add(&mut string, marks, 0).map_err(|_| failed("registers are lost"))?;
        let mut read = hll::Registers::default();
        read.merge(&string)
            .map_err(|_| failed("registers are lost"))?;
        if let Some(register) = (0..REGISTERS).find(|at| ranks[*at] != read.ranks()[*at]) {
            let (want, got) = (ranks[register], read.ranks()[register]);
            return Err(failed(&format!(
                "Register {register} should be {want} but is {got}"
            )));
        }
    }
    Ok(())
}

fn check_estimates(sparse_len_max: usize) -> Result<(), CommandError> {
    let corrupt = |_| failed("the registers are corrupt");
    let seed = random::next();
    let mut string = hll::empty();
    let mut dense = hll::to_dense(&string).map_err(corrupt)?;
    let mut checkpoint = 1;
    for element in 1..=ELEMENTS_MAX {
        let mark = Mark::of(&(element ^ seed).to_le_bytes());
        hll::add(&mut string, [mark], sparse_len_max).map_err(corrupt)?;
        hll::add(&mut dense, [mark], sparse_len_max).map_err(corrupt)?;
        if element != checkpoint {
            continue;
        }
        checkpoint *= 10;
        // An element takes five bytes at the most.
        let fits_sparse = element < (sparse_len_max / 5) as u64;
        if fits_sparse && hll::check(&string) != Some(Encoding::Sparse) {
            return Err(failed("sparse encoding not used"));
        }
        let estimate = hll::estimate(&dense).map_err(corrupt)?;
        if hll::estimate(&string).map_err(corrupt)? != estimate {
            return Err(failed("dense/sparse disagree"));
        }
        let standard_error = 1.04 / (REGISTERS as f64).sqrt();
        let error_max = (element as f64 * standard_error * ERRORS_MAX).ceil() as u64;
        let error = estimate.abs_diff(element);
        if error > error_max {
            return Err(failed(&format!(
                "Too big error. card:{element} abserr:{error}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn pfselftest() {
        check("PFSELFTEST", "+OK");
    }
}
