// Package sweep trains a grid of runs: it reads a sweep file, lists the run of every
// combination with what it takes, trains them side by side in processes of their own on
// this machine, or hands them to Slurm, and says how they are. Each run has a directory
// below the sweep's folder, where package train keeps it; a sweep that was cut short goes
// on where its runs are.
//
// Slurm's own commands (sbatch, squeue) do the talking to Slurm and must be on the PATH.
package sweep
